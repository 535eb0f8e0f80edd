-- Which keys name an entity, by what the reader may read.
-- parameters: tid, coll integer; keys text[]
-- columns:    key
select k.key
from unnest(%(keys)s::text[]) as k (key)
where exists (select from tadori.mention m where m.tid = %(tid)s and m.coll = %(coll)s and m.key = k.key)
