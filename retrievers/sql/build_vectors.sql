-- Adds vectors of chunks that are stored already; a chunk that was deleted meanwhile, or that another process was faster with, is passed over.
-- parameters: tid, coll integer; chunks integer[]; embeddings, an array of the space's type in binary form
-- placeholders: vectors, type
-- columns:    none
insert into tadori.{vectors} (tid, coll, chunk, audience, embedding)
select %(tid)s, %(coll)s, g.chunk, c.audience, g.embedding
from unnest(%(chunks)s::integer[], %(embeddings)s::{type}[]) with ordinality as g (chunk, embedding, place)
join tadori.chunk c on c.tid = %(tid)s and c.coll = %(coll)s and c.chunk = g.chunk
order by g.place
on conflict (tid, chunk) do nothing
