-- Adds the names that stand in chunks, in the order of the key.
-- parameters: tid, coll integer; keys, names, kinds, places text[]; chunks, starts, ends integer[]; counts smallint[]
-- columns:    none
insert into tadori.mention (tid, coll, key, chunk, name, kind, placed, count, start, "end", audience)
select %(tid)s, %(coll)s, g.key, g.chunk, g.name, g.kind, g.placed, g.count, g.start, g."end", c.audience
from unnest(
    %(keys)s::text[], %(chunks)s::integer[], %(names)s::text[], %(kinds)s::text[], %(places)s::text[], %(counts)s::smallint[],
    %(starts)s::integer[], %(ends)s::integer[]
) as g (key, chunk, name, kind, placed, count, start, "end")
join tadori.chunk c on c.tid = %(tid)s and c.chunk = g.chunk
order by g.key, g.chunk
