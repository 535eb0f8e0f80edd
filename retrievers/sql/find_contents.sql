-- Finds stored texts by their hash.
-- parameters: tid, coll integer; hashes text[]
-- columns:    content_hash, content, chunks
with
found as materialized (
    select c.content_hash, c.content
    from tadori.content c
    where c.tid = %(tid)s and c.coll = %(coll)s and c.content_hash = any (%(hashes)s::text[])
),
counted as (
    select k.content, count(*) as chunks
    from tadori.chunk k
    where k.tid = %(tid)s and k.coll = %(coll)s and k.content = any (array(select f.content from found f))
    group by k.content
)
select f.content_hash, f.content, coalesce(c.chunks, 0) as chunks
from found f
left join counted c on c.content = f.content
