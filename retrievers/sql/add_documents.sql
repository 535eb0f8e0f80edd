-- Adds documents whose sources are new.
-- parameters: tid, coll integer; sources, hashes, titles, languages, content_types, metadata text[]; contents, audiences integer[];
--             created, modified timestamptz[]; stages text
-- columns:    none
insert into tadori.document (tid, coll, source, content, content_hash, title, language, content_type, created, modified, audience, metadata, stages)
select %(tid)s, %(coll)s, g.source, g.content, g.content_hash, g.title, g.language, g.content_type, g.created, g.modified, g.audience,
       g.metadata::jsonb, %(stages)s::jsonb
from unnest(
    %(sources)s::text[], %(contents)s::integer[], %(hashes)s::text[], %(titles)s::text[], %(languages)s::text[], %(content_types)s::text[],
    %(created)s::timestamptz[], %(modified)s::timestamptz[], %(audiences)s::integer[], %(metadata)s::text[]
) with ordinality as g (source, content, content_hash, title, language, content_type, created, modified, audience, metadata, place)
order by g.place
