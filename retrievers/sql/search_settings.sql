-- Sets, for this transaction, how the vector index is walked: on and on until enough rows pass the policies and the filter.
-- parameters: ef_search text     HNSW's candidate list
--             vectors regclass   the space's table where its index is IVFFlat, else null
--             probes double precision   the share of its lists that IVFFlat looks through first
-- columns:    lists integer: how many lists IVFFlat has, null where there are none; then the values set
select l.lists,
       set_config('hnsw.ef_search', %(ef_search)s, true),
       set_config('hnsw.iterative_scan', 'relaxed_order', true),
       set_config('ivfflat.probes', greatest(1, ceil(l.lists * %(probes)s))::text, true),
       set_config('ivfflat.iterative_scan', 'relaxed_order', true),
       -- Compiling a statement of a few milliseconds takes hundreds.
       set_config('jit', 'off', true)
from (select) one
left join lateral (
    select max(substring(o.option from '^lists=(\d+)$')::integer) as lists
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    cross join unnest(c.reloptions) as o (option)
    where i.indrelid = %(vectors)s::text::regclass and i.indisvalid
) l on true
