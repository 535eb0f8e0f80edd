-- Takes the mean of a collection's vectors as its centre, and with it the signs of each anew.
-- Run under the collection's lock by indexing.py; who searches meanwhile finds the centre and the signs from before, or neither.
-- parameters: tid, coll integer
-- placeholders: vectors and signs, the space's tables
-- columns:    chunks: how many vectors there are
with
centre as materialized (
    select avg(v.embedding::vector) as mean, count(*) as chunks from tadori.{vectors} v where v.tid = %(tid)s and v.coll = %(coll)s
),
noted as (
    update tadori.collection c
    set centre = m.mean::real[], centred_chunks = m.chunks
    from centre m
    where c.tid = %(tid)s and c.coll = %(coll)s and m.chunks > 0
),
encoded as (
    insert into tadori.{signs} as b (tid, coll, chunk, audience, code)
    select v.tid, v.coll, v.chunk, v.audience, binary_quantize(v.embedding::vector - m.mean)
    from centre m
    cross join tadori.{vectors} v
    where v.tid = %(tid)s and v.coll = %(coll)s
    on conflict (tid, chunk) do update set coll = excluded.coll, audience = excluded.audience, code = excluded.code
)
select m.chunks from centre m
