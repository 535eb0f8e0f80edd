-- Adds what chunks say of two entities.
-- parameters: tid, coll integer; heads, tails, kinds text[]; chunks, starts, ends integer[]; weights real[]
-- columns:    none
insert into tadori.relation (tid, coll, head, tail, kind, chunk, start, "end", weight, audience)
select %(tid)s, %(coll)s, g.head, g.tail, g.kind, g.chunk, g.start, g."end", g.weight, c.audience
from unnest(
    %(heads)s::text[], %(tails)s::text[], %(kinds)s::text[], %(chunks)s::integer[], %(starts)s::integer[], %(ends)s::integer[],
    %(weights)s::real[]
) as g (head, tail, kind, chunk, start, "end", weight)
join tadori.chunk c on c.tid = %(tid)s and c.chunk = g.chunk
order by g.head, g.tail, g.kind, g.chunk
