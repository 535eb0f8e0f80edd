-- Lists the titles and headings of the chunks that score best by a query's words; what a better query could be built from.
-- Run as tadori_app: a chunk that the reader may not see lends no heading. `offset 0` as in hybrid.sql.
-- parameters: tid, coll integer   the collection
--             words text[]        the query as analysed
--             chunks integer      how many chunks are looked through
--             k1, b double precision
--             unread integer[]    numbers of words too common to read their postings
-- columns:    heading: each once, best chunk first, the narrowest heading before the wider ones and the title
with
{corpus_words}
best as materialized (
    select p.chunk, sum(w.gain * p.tf / (p.tf + w.base + w.slope * p.dl)) as bm25
    from word w
    cross join lateral (
        select p.chunk, p.tf, p.dl from tadori.posting p where p.tid = %(tid)s and p.coll = %(coll)s and p.term = w.term offset 0
    ) p
    where w.term <> all (%(unread)s::integer[])
    group by p.chunk
    order by bm25 desc, p.chunk
    limit %(chunks)s
),
heading as (
    select h.heading, b.bm25, h.depth
    from best b
    join tadori.chunk c on c.tid = %(tid)s and c.chunk = b.chunk
    join tadori.document d on d.tid = c.tid and d.coll = c.coll and d.content = c.content
    cross join lateral (
        select p.heading, p.depth from unnest(c.heading_path) with ordinality as p (heading, depth)
        union all
        select d.title, 0
    ) h
    where h.heading <> ''
)
select h.heading
from heading h
group by h.heading
order by max(h.bm25) desc, max(h.depth) desc, h.heading
