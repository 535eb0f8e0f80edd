-- How many turns of the transaction's tenant ended how.
-- parameters: since timestamptz  or null for all
-- columns:    status text, turns bigint
select t.status, count(*)
from tadori.turn t
where t.tid = (select tadori.current_tid()) and (%(since)s::timestamptz is null or t.at >= %(since)s)
group by t.status
order by count(*) desc, t.status
