-- One collection's chunks as langchain-postgres wants a table: id, text, vector, metadata. Run as the owner by spaces.py, once per space.
-- Placeholders: view, vector_table. The setting tadori.collection names the collection; without it, or without a tenant, there is no row.
-- Columns: id text, content text, embedding vector, source, title text, heading_path text[], page int, url, origin, language text, metadata jsonb
create view tadori.{view} with (security_invoker = true) as
select c.id,
       c.body as content,
       -- The cast keeps the approximate index out: behind row-level security it would return too few rows to a small tenant.
       v.embedding::vector as embedding,
       d.source,
       d.title,
       c.heading_path,
       c.page,
       d.metadata ->> 'url' as url,
       c.origin,
       c.language,
       d.metadata || c.metadata as metadata
from tadori.collection k
join tadori.{vector_table} v on v.tid = k.tid and v.coll = k.coll
join tadori.chunk c on c.tid = v.tid and c.chunk = v.chunk
-- The same text under two sources is one hit, shown as the first document that the reader may see.
join lateral (
    select d.source, d.title, d.metadata
    from tadori.document d
    where d.tid = c.tid and d.coll = c.coll and d.content = c.content
    order by d.document
    limit 1
) d on true
where k.name = current_setting('tadori.collection', true);

grant select on tadori.{view} to tadori_app;
