-- Reads what is stored of some sources.
-- parameters: tid, coll integer; sources text[]
-- columns:    source, document, content, content_hash, title, language, content_type, created, modified, readers, metadata, failed, chunks;
--             content and content_hash are null where nothing of it could be stored yet
with
found as materialized (
    select d.* from tadori.document d where d.tid = %(tid)s and d.coll = %(coll)s and d.source = any (%(sources)s::text[])
),
-- All at once: without statistics of a new table each count would read the whole collection.
counted as (
    select k.content, count(*) as chunks
    from tadori.chunk k
    where k.tid = %(tid)s and k.coll = %(coll)s and k.content = any (array(select f.content from found f))
    group by k.content
)
select f.source, f.document, f.content, f.content_hash, f.title, f.language, f.content_type, f.created, f.modified, a.readers, f.metadata,
       exists (select from jsonb_each(f.stages) s (stage, state) where s.state ->> 'status' = 'failed') as failed,
       coalesce(c.chunks, 0) as chunks
from found f
join tadori.audience a on a.tid = f.tid and a.audience = f.audience
left join counted c on c.content = f.content
