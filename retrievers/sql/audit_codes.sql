-- Compares the codes of one collection with the vectors and the centre that they were made from. For index kind binary.
-- parameters: tid, coll integer
-- placeholders: vectors and signs, the space's tables
-- columns:    difference text; no row means that all agree
with
own as materialized (
    select c.centre::vector as centre from tadori.collection c where c.tid = %(tid)s and c.coll = %(coll)s
),
vectors as materialized (
    select v.chunk, v.audience, binary_quantize(v.embedding::vector - o.centre) as code
    from own o
    cross join tadori.{vectors} v
    where v.tid = %(tid)s and v.coll = %(coll)s
),
codes as materialized (
    select b.chunk, b.audience, b.code from tadori.{signs} b where b.tid = %(tid)s and b.coll = %(coll)s
)
select format('code of chunk number %%s: it is missing', v.chunk)
from vectors v left join codes b on b.chunk = v.chunk
where v.code is not null and b.chunk is null
union all
select format('code of chunk number %%s: it is not that of its vector', v.chunk)
from vectors v join codes b on b.chunk = v.chunk
where b.code is distinct from v.code
union all
select format('code of chunk number %%s: it has audience %%s, its vector %%s', v.chunk, b.audience, v.audience)
from vectors v join codes b on b.chunk = v.chunk
where b.audience <> v.audience
