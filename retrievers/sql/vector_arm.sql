-- Part of hybrid.sql: the chunks nearest to the query's vector.
-- parameters: tid, coll integer; embedding text; vector, filtered boolean; fetch, exact_rows, exact_filtered integer
--             indexed boolean   whether the space has an index that may be asked
-- placeholders: vectors, the space's table; type of its column; nearest, one of nearest_by_vector.sql and nearest_by_bits.sql
-- tables:     vector_top (chunk, cosine), read from eligible
-- How many rows there are to compare; the visible ones are counted no further than the choice between exact and index needs.
visible as materialized (
    select count(*) as rows
    from (
        select from {vectors} v
        where %(vector)s and %(indexed)s and v.tid = %(tid)s and v.coll = %(coll)s
        limit %(exact_rows)s + 1
    ) x
),
extent as materialized (
    select r.reachable, not %(indexed)s or r.reachable <= %(exact_filtered)s or v.rows <= %(exact_rows)s as exact
    from visible v
    cross join lateral (select case when %(filtered)s then (select count(*) from eligible) else v.rows end as reachable) r
),
{nearest}
-- The index may give up before it has found enough rows that pass; then every row is compared after all.
exhaustive as materialized (
    select x.exact or (select count(*) from nearest) < least(%(fetch)s, x.reachable) as needed from extent x
),
exact_all as (
    select v.chunk, (v.embedding <=> %(embedding)s::{type}) + 0 as distance
    from {vectors} v
    where %(vector)s and not %(filtered)s and (select h.needed from exhaustive h) and v.tid = %(tid)s and v.coll = %(coll)s
    order by distance
    fetch first %(fetch)s rows with ties
),
exact_filtered as (
    select v.chunk, (v.embedding <=> %(embedding)s::{type}) + 0 as distance
    from eligible e
    join {vectors} v on v.tid = %(tid)s and v.chunk = e.chunk
    where %(vector)s and %(filtered)s and (select h.needed from exhaustive h)
    order by distance
    fetch first %(fetch)s rows with ties
),
vector_top as materialized (
    select a.chunk, nullif(1 - a.distance, 'NaN') as cosine from exact_all a
    union all
    select f.chunk, nullif(1 - f.distance, 'NaN') from exact_filtered f
    union all
    select n.chunk, nullif(1 - n.distance, 'NaN') from nearest n where not (select h.needed from exhaustive h)
),
