-- Sets, for this transaction, how the vector index is walked: on and on until enough rows pass the policies and the filter.
-- parameters: ef_search text   HNSW's candidate list
-- columns:    the values set
select set_config('hnsw.ef_search', %(ef_search)s, true),
       set_config('hnsw.iterative_scan', 'relaxed_order', true),
       -- Compiling a statement of a few milliseconds takes hundreds.
       set_config('jit', 'off', true)
