-- Counts what is kept of a collection's entities; reads all of it.
-- parameters: tid, coll integer
-- columns:    entities, mentions, relations, aliases, chunks, failed
select (select count(distinct m.key) from tadori.mention m where m.tid = %(tid)s and m.coll = %(coll)s) as entities,
       (select count(*) from tadori.mention m where m.tid = %(tid)s and m.coll = %(coll)s) as mentions,
       (select count(*) from tadori.relation r where r.tid = %(tid)s and r.coll = %(coll)s) as relations,
       (select count(*) from tadori.alias a where a.tid = %(tid)s and a.coll = %(coll)s) as aliases,
       count(*) as chunks,
       count(e.failed) as failed
from tadori.extraction e
where e.tid = %(tid)s and e.coll = %(coll)s
