-- Gives documents other readers.
-- parameters: tid, coll, audience integer; sources text[]
-- columns:    content of each document that had others, null for one of which nothing was stored
update tadori.document d
set audience = %(audience)s
where d.tid = %(tid)s and d.coll = %(coll)s and d.source = any (%(sources)s::text[]) and d.audience <> %(audience)s
returning d.content
