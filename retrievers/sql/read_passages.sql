-- Reads chunks by their public ids, each with its neighbours in the same text.
-- Run as tadori_app by retrievers/store/reading.py; a chunk that the reader may not see, or whose documents do not meet the filter, is
-- as unknown as one that never was.
-- parameters: collection text, ids text[]
--             before, after integer    neighbours on either side
--             filtered boolean, and those of date_filter.sql and metadata_filter.sql
-- columns:    asked: the id that was asked for, null in the one row of a collection where nothing was found; no row at all means that
--             there is no such collection
--             id, document, title, heading_path, page, url, origin, content_type, language, text, start, end, token_count, metadata
--             in the order of ids, then of the text
select r.*
from tadori.collection h
left join lateral (
    select a.place, n.ordinal, a.id as asked, n.id, d.source as document, d.title, n.heading_path, n.page,
           coalesce(d.metadata ->> 'url', substring(d.source from '^https?://.*$')) as url,
           n.origin, n.content_type, n.language, n.body as text, n.char_start as start, n.char_end as "end", n.token_count,
           d.metadata || n.metadata as metadata
    from unnest(%(ids)s::text[]) with ordinality as a (id, place)
    -- `offset 0` as in hybrid.sql: beside many small collections a join would read the whole of a large one.
    cross join lateral (
        select k.tid, k.coll, k.content, k.ordinal from tadori.chunk k where k.tid = h.tid and k.coll = h.coll and k.id = a.id offset 0
    ) k
    join tadori.chunk n on n.tid = k.tid and n.coll = k.coll and n.content = k.content
         and n.ordinal between k.ordinal - %(before)s::integer and k.ordinal + %(after)s::integer
    cross join lateral (
        select d.source, d.title, d.metadata
        from tadori.document d
        where d.tid = k.tid and d.coll = k.coll and d.content = k.content and (not %(filtered)s or ({passes}))
        order by d.document + 0
        limit 1
    ) d
) r on true
where h.name = %(collection)s
order by r.place, r.ordinal
