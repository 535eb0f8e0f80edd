-- Replaces documents whose sources are stored; they keep their numbers.
-- parameters: as in add_documents.sql
-- columns:    none
update tadori.document d
set content = g.content, content_hash = g.content_hash, title = g.title, language = g.language, content_type = g.content_type,
    created = g.created, modified = g.modified, ingested = now(), audience = g.audience, metadata = g.metadata::jsonb, stages = %(stages)s::jsonb
from unnest(
    %(sources)s::text[], %(contents)s::integer[], %(hashes)s::text[], %(titles)s::text[], %(languages)s::text[], %(content_types)s::text[],
    %(created)s::timestamptz[], %(modified)s::timestamptz[], %(audiences)s::integer[], %(metadata)s::text[]
) as g (source, content, content_hash, title, language, content_type, created, modified, audience, metadata)
where d.tid = %(tid)s and d.coll = %(coll)s and d.source = g.source
