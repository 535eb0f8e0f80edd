-- Adds the vectors of the windows of chunks whose own vectors are there; what is there already stays.
-- parameters: tid, coll integer; chunks integer[], places smallint[], one for each window; embeddings, an array of the space's type in binary form
-- placeholders: vectors, windows, type
-- columns:    none
insert into tadori.{windows} (tid, coll, chunk, place, audience, embedding)
select %(tid)s, %(coll)s, g.chunk, g.place, v.audience, g.embedding
from unnest(%(chunks)s::integer[], %(places)s::smallint[], %(embeddings)s::{type}[]) with ordinality as g (chunk, place, embedding, row)
join tadori.{vectors} v on v.tid = %(tid)s and v.coll = %(coll)s and v.chunk = g.chunk
order by g.row
on conflict (tid, chunk, place) do nothing
