-- Adds the postings of new chunks, in the order of the key; length and audience are the chunk's.
-- parameters: tid, coll integer; terms, chunks integer[]; counts smallint[]; max_count integer, the largest that the columns hold
-- columns:    none
insert into tadori.posting (tid, coll, term, chunk, tf, dl, audience)
select %(tid)s, %(coll)s, g.term, g.chunk, g.tf, least(c.length, %(max_count)s), c.audience
from unnest(%(terms)s::integer[], %(chunks)s::integer[], %(counts)s::smallint[]) as g (term, chunk, tf)
join tadori.chunk c on c.tid = %(tid)s and c.chunk = g.chunk
order by g.term, g.chunk
