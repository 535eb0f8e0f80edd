-- Deletes documents by source; their texts stay for now.
-- parameters: tid, coll integer; sources text[]
-- columns:    content of each deleted document, null for one of which nothing was stored
delete from tadori.document d
where d.tid = %(tid)s and d.coll = %(coll)s and d.source = any (%(sources)s::text[])
returning d.content
