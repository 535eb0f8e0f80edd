-- Adds texts that are not stored yet.
-- parameters: tid, coll integer; hashes, bodies text[]; audiences integer[]
-- columns:    content_hash, content
insert into tadori.content (tid, coll, content_hash, body, audience)
select %(tid)s, %(coll)s, g.content_hash, g.body, g.audience
from unnest(%(hashes)s::text[], %(bodies)s::text[], %(audiences)s::integer[]) with ordinality as g (content_hash, body, audience, place)
order by g.place
returning content_hash, content
