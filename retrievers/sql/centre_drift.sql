-- Says how far the mean of a collection's vectors has moved from its centre: the share of signs that would change, on a thousand of them.
-- parameters: tid, coll integer
-- placeholders: vectors and signs, the space's tables
-- columns:    share double precision, 0-1; null where there are no signs
with
mean as materialized (
    select avg(v.embedding::vector) as mean from tadori.{vectors} v where v.tid = %(tid)s and v.coll = %(coll)s
),
sample as (
    select b.chunk, b.code from tadori.{signs} b where b.tid = %(tid)s and b.coll = %(coll)s order by hashint4(b.chunk) limit 1000
)
select avg((s.code <~> binary_quantize(v.embedding::vector - m.mean)) / length(s.code)) as share
from sample s
join tadori.{vectors} v on v.tid = %(tid)s and v.chunk = s.chunk
cross join mean m
