-- Deletes texts that no document has any more, with their chunks and vectors.
-- parameters: tid, coll integer; contents integer[]
-- columns:    none
delete from tadori.content c
where c.tid = %(tid)s and c.coll = %(coll)s and c.content = any (%(contents)s::integer[])
