-- Says how large a space is and what IVFFlat index it has. Run as anyone: the catalogue alone is read.
-- parameters: vectors regclass   the space's table
-- columns:    rows double precision (the planner's; below 0 where it never looked), name text, lists integer: null where there is no valid index;
--             the one with the most lists
select k.reltuples::double precision as rows, n.name, n.lists
from pg_class k
left join lateral (
    select c.relname::text as name, substring(o.option from '^lists=(\d+)$')::integer as lists
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    cross join unnest(c.reloptions) as o (option)
    where i.indrelid = k.oid and i.indisvalid and o.option like 'lists=%%'
    order by lists desc
    limit 1
) n on true
where k.oid = %(vectors)s::text::regclass
