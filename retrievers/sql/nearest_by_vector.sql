-- Part of vector_arm.sql: the nearest rows as an index over the vectors themselves (HNSW, IVFFlat) hands them over.
-- Its order is relaxed: what ranks is the distance, which comes exact.
-- parameters: tid, coll, fetch integer; embedding text; vector, filtered boolean
-- placeholders: vectors, the space's table; type of its column
-- tables:     nearest (chunk, distance), read from extent and eligible
nearest as materialized (
    select v.chunk, v.embedding <=> %(embedding)s::{type} as distance
    from {vectors} v
    where %(vector)s
      and v.tid = %(tid)s and v.coll = %(coll)s
      and not (select x.exact from extent x)
      and (not %(filtered)s or v.chunk in (select e.chunk from eligible e))
    order by v.embedding <=> %(embedding)s::{type}
    limit %(fetch)s
),
