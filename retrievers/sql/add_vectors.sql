-- Adds the vectors of new chunks; the audience is the chunk's.
-- parameters: tid, coll, dims integer; chunks integer[]; reals real[], the vectors one after the other in the order of `chunks`
-- placeholders: vectors, type
-- columns:    none
insert into tadori.{vectors} (tid, coll, chunk, audience, embedding)
select %(tid)s, %(coll)s, g.chunk, c.audience, (%(reals)s::real[])[(g.place - 1) * %(dims)s + 1 : g.place * %(dims)s]::{type}
from unnest(%(chunks)s::integer[]) with ordinality as g (chunk, place)
join tadori.chunk c on c.tid = %(tid)s and c.chunk = g.chunk
order by g.place
