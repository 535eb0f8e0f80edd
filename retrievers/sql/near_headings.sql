-- Lists the titles and headings of the chunks that score best by a query's words; what a better query could be built from.
-- Run as tadori_app: a chunk that the reader may not see lends no heading. `offset 0` as in hybrid.sql.
-- parameters: tid, coll integer   the collection
--             words text[]        the query as analysed
--             chunks integer      how many chunks are looked through
--             k1, b double precision
-- columns:    heading: each once, best chunk first, the narrowest heading before the wider ones and the title
with
stats as materialized (
    select c.chunk_count::double precision as n, greatest(c.token_count, 1)::double precision / greatest(c.chunk_count, 1) as mean_length
    from tadori.collection c
    where c.tid = %(tid)s and c.coll = %(coll)s
),
word as materialized (
    select t.term,
           (%(k1)s + 1) * ln(1 + (s.n - t.df + 0.5) / (t.df + 0.5)) as gain,
           %(k1)s * (1 - %(b)s) as base,
           %(k1)s * %(b)s / s.mean_length as slope
    from stats s
    cross join unnest(%(words)s::text[]) as q (word)
    cross join lateral (
        select t.term, t.df from tadori.term t where t.tid = %(tid)s and t.coll = %(coll)s and t.word = q.word offset 0
    ) t
),
best as materialized (
    select p.chunk, sum(w.gain * p.tf / (p.tf + w.base + w.slope * p.dl)) as bm25
    from word w
    cross join lateral (
        select p.chunk, p.tf, p.dl from tadori.posting p where p.tid = %(tid)s and p.coll = %(coll)s and p.term = w.term offset 0
    ) p
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
