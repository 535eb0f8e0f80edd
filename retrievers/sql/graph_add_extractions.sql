-- Notes which chunks an extractor has read, and under which title; the audience is the chunk's, as in the next three.
-- parameters: tid, coll integer; extractor text; chunks integer[], titles, failures text[], a failure null where there was none
-- columns:    none
insert into tadori.extraction (tid, coll, chunk, extractor, title, failed, audience)
select %(tid)s, %(coll)s, g.chunk, %(extractor)s, g.title, g.failed, c.audience
from unnest(%(chunks)s::integer[], %(titles)s::text[], %(failures)s::text[]) as g (chunk, title, failed)
join tadori.chunk c on c.tid = %(tid)s and c.chunk = g.chunk
