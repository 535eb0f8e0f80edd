-- What the model calls of the transaction's tenant came to, dearest in tokens first; the cost is null where the price of any was not set.
-- parameters: since timestamptz  or null for all
-- columns:    step text, model text, calls bigint, failed bigint, input_tokens bigint, output_tokens bigint, cost_usd float8, ms float8
select
    l.step, l.model,
    count(*) as calls,
    count(*) filter (where l.failed) as failed,
    sum(l.input_tokens) as input_tokens,
    sum(l.output_tokens) as output_tokens,
    case when bool_or(l.cost_usd is null and not l.failed) then null else sum(l.cost_usd) end as cost_usd,
    sum(l.ms)::double precision as ms
from tadori.ledger l
join tadori.turn t using (tid, turn)
where l.tid = (select tadori.current_tid()) and (%(since)s::timestamptz is null or t.at >= %(since)s)
group by l.step, l.model
order by sum(l.input_tokens + l.output_tokens) desc, l.step, l.model
