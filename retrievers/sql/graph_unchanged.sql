-- Which of the chunks that were read are there still, under the title they were read with.
-- parameters: tid, coll integer; chunks integer[], titles text[]
-- placeholders: title
-- columns:    chunk
select c.chunk
from unnest(%(chunks)s::integer[], %(titles)s::text[]) as g (chunk, title)
join tadori.chunk c on c.tid = %(tid)s and c.coll = %(coll)s and c.chunk = g.chunk
where g.title = {title}
