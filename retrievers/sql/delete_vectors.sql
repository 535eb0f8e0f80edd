-- Removes a collection's vectors from a space; those of other collections stay.
-- parameters: tid, coll integer
-- placeholders: vectors
-- columns:    none
delete from tadori.{vectors} v where v.tid = %(tid)s and v.coll = %(coll)s
