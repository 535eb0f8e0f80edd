-- Adds which keys are one entity by what chunks say.
-- parameters: tid, coll integer; keys, others text[]; chunks, starts, ends integer[]
-- columns:    none
insert into tadori.alias (tid, coll, key, same_as, chunk, start, "end", audience)
select %(tid)s, %(coll)s, g.key, g.same_as, g.chunk, g.start, g."end", c.audience
from unnest(%(keys)s::text[], %(others)s::text[], %(chunks)s::integer[], %(starts)s::integer[], %(ends)s::integer[])
    as g (key, same_as, chunk, start, "end")
join tadori.chunk c on c.tid = %(tid)s and c.chunk = g.chunk
order by g.key, g.same_as, g.chunk
