-- Says of one named chunk, or of all chunks of one named source, what a search can see in it. Its scores come from hybrid.sql.
-- Run as tadori_app by retrievers/store/explain.py; what the reader may not see has no row, like what does not exist.
-- parameters: tid, coll integer      the collection
--             name text              a chunk's id or a document's source
--             words text[]           the query as analysed
--             k1, b double precision
--             most integer           chunks of a source
--             since, until, and those of metadata_filter.sql
-- columns:    id, document, title, heading_path, page
--             conditions  boolean[]: since, until, then one for each pair; of the document that meets all of them, where there is one
--             words       jsonb, in the query's order: word, df, weight (most that it can add to bm25), tf; null what is not there
--             in the order of the text
with
{corpus_words}
named as materialized (
    select c.chunk, c.id, c.content, c.ordinal, null as source
    from tadori.chunk c
    where c.tid = %(tid)s and c.coll = %(coll)s and c.id = %(name)s
    union all
    select c.chunk, c.id, c.content, c.ordinal, d.source
    from tadori.document d
    cross join lateral (
        select c.chunk, c.id, c.content, c.ordinal from tadori.chunk c where c.tid = d.tid and c.coll = d.coll and c.content = d.content offset 0
    ) c
    where d.tid = %(tid)s and d.coll = %(coll)s and d.source = %(name)s
)
select n.id, d.source as document, d.title, c.heading_path, c.page, d.conditions, w.words
from named n
cross join lateral (
    select c.heading_path, c.page from tadori.chunk c where c.tid = %(tid)s and c.chunk = n.chunk offset 0
) c
cross join lateral (
    select d.source, d.title, array[{conditions}] as conditions
    from tadori.document d
    where d.tid = %(tid)s and d.coll = %(coll)s and d.content = n.content and (n.source is null or d.source = n.source)
    order by not ({passes}), d.document + 0
    limit 1
) d
cross join lateral (
    select coalesce(jsonb_agg(jsonb_build_object('word', q.word, 'df', t.df, 'weight', g.gain, 'tf', p.tf) order by q.place), '[]') as words
    from unnest(%(words)s::text[]) with ordinality as q (word, place)
    left join lateral (
        select t.term, t.df from tadori.term t where t.tid = %(tid)s and t.coll = %(coll)s and t.word = q.word offset 0
    ) t on true
    left join word g on g.term = t.term
    left join lateral (
        select p.tf from tadori.posting p
        where p.tid = %(tid)s and p.coll = %(coll)s and p.term = t.term and p.chunk = n.chunk offset 0
    ) p on true
) w
order by n.ordinal
limit %(most)s
