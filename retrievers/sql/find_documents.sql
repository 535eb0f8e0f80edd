-- Reads what is stored of some sources.
-- parameters: tid, coll integer; sources text[]
-- columns:    source, document, content, content_hash, title, language, content_type, created, modified, readers, metadata, failed;
--             content and content_hash are null where nothing of it could be stored yet
select d.source, d.document, d.content, d.content_hash, d.title, d.language, d.content_type, d.created, d.modified, a.readers, d.metadata,
       exists (select from jsonb_each(d.stages) s (stage, state) where s.state ->> 'status' = 'failed') as failed
from tadori.document d
join tadori.audience a on a.tid = d.tid and a.audience = d.audience
where d.tid = %(tid)s and d.coll = %(coll)s and d.source = any (%(sources)s::text[])
