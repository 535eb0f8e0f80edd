-- Sets, for this transaction, how the vector index is walked: on and on until enough rows pass the policies and the filter.
-- parameters: ef_search text     HNSW's candidate list
--             vectors regclass   the space's table where its index is IVFFlat, else null
--             probes double precision   how many times the square root of its lists IVFFlat looks through first
-- columns:    lists integer: how many lists IVFFlat has, null where there are none; then the values set
select l.lists,
       set_config('hnsw.ef_search', %(ef_search)s, true),
       set_config('hnsw.iterative_scan', 'relaxed_order', true),
       -- Times work_mem: room for scans that go on for long, which end early without it.
       set_config('hnsw.scan_mem_multiplier', '4', true),
       set_config('ivfflat.probes', greatest(1, least(l.lists, ceil(sqrt(l.lists) * %(probes)s)))::text, true),
       set_config('ivfflat.iterative_scan', 'relaxed_order', true),
       -- The pages of an index are in memory or on a disk without arms: at the default of 4 ten thousand vectors are sorted instead of walked.
       set_config('random_page_cost', '1.1', true),
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
