-- How many vectors a collection has in a space.
-- parameters: tid, coll integer
-- placeholders: vectors
-- columns:    count
select count(*) from tadori.{vectors} v where v.tid = %(tid)s and v.coll = %(coll)s
