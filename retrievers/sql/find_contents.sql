-- Finds stored texts by their hash.
-- parameters: tid, coll integer; hashes text[]
-- columns:    content_hash, content, chunks
select c.content_hash, c.content, (select count(*) from tadori.chunk k where k.tid = c.tid and k.coll = c.coll and k.content = c.content) as chunks
from tadori.content c
where c.tid = %(tid)s and c.coll = %(coll)s and c.content_hash = any (%(hashes)s::text[])
