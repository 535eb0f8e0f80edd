-- Part of vector_arm.sql: the rows whose signs around the collection's mean differ least from the query's, compared again by their vectors.
-- parameters: tid, coll, fetch, shortlist integer; embedding text; vector, filtered boolean
-- placeholders: vectors and signs, the space's tables; type and bits, those of their columns with the dimensions
-- tables:     nearest (chunk, distance), read from extent and eligible
-- Without a centre there is no row, and every vector is compared.
query_signs as materialized (
    select binary_quantize(%(embedding)s::vector - c.centre::vector)::{bits} as code
    from tadori.collection c
    where %(vector)s and c.tid = %(tid)s and c.coll = %(coll)s and c.centre is not null
),
shortlist as materialized (
    select b.chunk
    from {signs} b
    where %(vector)s
      and b.tid = %(tid)s and b.coll = %(coll)s
      and not (select x.exact from extent x) and exists (select from query_signs)
      and (not %(filtered)s or b.chunk in (select e.chunk from eligible e))
    order by b.code <~> (select q.code from query_signs q)
    limit %(shortlist)s
),
nearest as materialized (
    select s.chunk, v.distance
    from shortlist s
    cross join lateral (
        select (o.embedding <=> %(embedding)s::{type}) + 0 as distance from {vectors} o where o.tid = %(tid)s and o.chunk = s.chunk offset 0
    ) v
    order by v.distance
    limit %(fetch)s
),
