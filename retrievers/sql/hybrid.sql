-- Finds the best passages of one collection by words and by meaning, both arms and their fusion in one statement.
-- Run as tadori_app by retrievers/store/search.py; the policies hide what the reader may not see before either arm's limit.
-- `offset 0` and `+ 0` hold the planner to look-ups by key: without statistics, in the first minute after an ingestion, it would
-- read the whole collection for each word.
-- parameters: tid, coll integer        the collection
--             words text[]             the query as analysed, without repeats; may be empty
--             embedding text           the query's vector; null in mode lexical
--             lexical, vector boolean  which arms run; both under mode hybrid
--             filtered boolean         whether documents are restricted to those that meet date_filter.sql and metadata_filter.sql
--             fusion text              absolute, rrf or weighted
--             fetch, k integer         candidates of each arm, results in the end
--             k1, b, absolute_weight, rrf_k, lexical_weight, vector_weight, epsilon double precision
--             apart text[]             the languages whose script is not the query's; apart_lift double precision, what stands for their BM25
--             near_weight, window_weight double precision; near_query, near_passage, near_chunks integer  how near words stand, in how many candidates
--             exact_rows, exact_filtered integer  up to so many rows the vector arm compares each, above it asks the index
--             indexed boolean          whether there is one; shortlist integer  rows that index kind binary compares again
-- columns:    id, document, title, heading_path, page, url, origin, content_type, language, text, start, end, token_count, metadata,
--             bm25, cosine, near, apart, absolute, score, lexical_rank, vector_rank, modified: null where an arm did not run; modified; best first, ties by id
with
{corpus_words}
eligible as materialized (
{eligible}
),

{lexical_arm}

{vector_arm}

found as materialized (
    select coalesce(l.chunk, v.chunk) as chunk, l.bm25, v.cosine
    from lexical_top l
    full join vector_top v on v.chunk = l.chunk
),
ranked as (
    select f.chunk, c.id, x.apart, f.bm25, f.cosine,
           case when f.bm25 is not null and not x.apart then rank() over (partition by x.apart order by f.bm25 desc nulls last, c.id) end
               as lexical_rank,
           case when f.cosine is not null then rank() over (order by f.cosine desc nulls last, c.id) end as vector_rank
    from found f
    join tadori.chunk c on c.tid = %(tid)s and c.chunk = f.chunk
    cross join lateral (select c.language = any (%(apart)s::text[]) as apart) x
),
candidate as materialized (
    select r.* from ranked r where r.lexical_rank <= %(fetch)s or r.vector_rank <= %(fetch)s
),
-- A hit of one arm gets the other arm's score by key; in a mode of one arm the other score stays null. A chunk of several windows has
-- the cosine of the nearest one, and a share of its own. A vector without length has no cosine (NaN, which would sort above everything): such a chunk is found
-- by its words alone. In a passage whose script is not the question's, words that match are chance: it has no BM25, no place for it, and
-- takes none from a passage of the question's own script.
scored as materialized (
    select c.chunk, c.id, c.apart,
           c.lexical_rank,
           case when c.vector_rank is not null then rank() over (partition by c.vector_rank is null order by n.cosine desc nulls last, c.id) end
               as vector_rank,
           case when %(lexical)s then case when c.apart then 0 else coalesce(c.bm25, (
               select round(sum(w.gain * p.tf / (p.tf + w.base + w.slope * p.dl)) * 1e9) / 1e9
               from word w
               cross join lateral (
                   select p.tf, p.dl from tadori.posting p
                   where p.tid = %(tid)s and p.coll = %(coll)s and p.term = w.term and p.chunk = c.chunk offset 0
               ) p
           ), 0) end end as bm25,
           n.cosine
    from candidate c
    cross join lateral (
        select coalesce(%(window_weight)s * w.nearest + (1 - %(window_weight)s) * o.own, w.nearest, o.own) as cosine
        from (
            select case when %(vector)s then coalesce(c.cosine, (
                select nullif(1 - (v.embedding <=> %(embedding)s::{type}), 'NaN')
                from {vectors} v
                where v.tid = %(tid)s and v.chunk = c.chunk
            )) end as own
        ) o
        cross join lateral (
            select max(nullif(1 - (w.embedding <=> %(embedding)s::{type}), 'NaN')) as nearest
            from {windows} w
            where %(vector)s and w.tid = %(tid)s and w.chunk = c.chunk
        ) w
    ) n
),
shared as materialized (
    select s.*,
           coalesce(s.bm25 / nullif((select sum(w.gain) from word w), 0), 0) as share,
           (s.bm25 - min(s.bm25) over ()) / (max(s.bm25) over () - min(s.bm25) over () + %(epsilon)s) as bm25_share,
           coalesce((s.cosine - min(s.cosine) over ()) / (max(s.cosine) over () - min(s.cosine) over () + %(epsilon)s), 0) as cosine_share
    from scored s
),

-- words that stand together ---------------------------------------------------------------------------------------------
-- Of the query's words that stand near each other, the share that stand near each other in the passage too, the rarer word of each pair
-- counting. A word that the collection lacks makes pairs that no passage holds: they have no terms, and count in what could be reached.
-- Looked at for the best candidates only: each needs its words in order.
pair as materialized (
    select case when a.term is not null and b.term is not null then least(a.term, b.term) end as low,
           case when a.term is not null and b.term is not null then greatest(a.term, b.term) end as high,
           least(a.gain, b.gain) / (b.place - a.place) as weight
    from word a
    join word b on b.place - a.place between 1 and %(near_query)s
    where %(lexical)s and %(vector)s
),
promising as materialized (
    select s.chunk
    from shared s
    where not s.apart and s.bm25 > 0 and exists (select from pair)
    order by %(absolute_weight)s * s.share + coalesce(s.cosine, 0) desc, s.id
    limit %(near_chunks)s
),
together as (
    select distinct p.chunk, q.low, q.high, q.weight
    from promising p
    join tadori.chunk c on c.tid = %(tid)s and c.chunk = p.chunk
    cross join lateral unnest(c.words) with ordinality as u (term, place)
    cross join lateral unnest(c.words[u.place + 1 : u.place + %(near_passage)s]) as f (term)
    join pair q on q.low = least(u.term, f.term) and q.high = greatest(u.term, f.term)
    where u.term = any (array(select w.term from word w where w.term is not null))
),
near as materialized (
    select t.chunk, sum(t.weight) / (select sum(q.weight) from pair q) as near from together t group by t.chunk
),
measured as (
    select s.*, coalesce(n.near, 0) as near,
           %(absolute_weight)s * s.share + coalesce(s.cosine, 0) + %(near_weight)s * coalesce(n.near, 0)
               + case when s.apart then %(apart_lift)s else 0 end as absolute
    from shared s
    left join near n on n.chunk = s.chunk
),
fused as (
    select m.chunk, m.id, m.bm25, m.cosine, m.near, m.apart, m.absolute, m.lexical_rank, m.vector_rank,
           case when not %(vector)s then m.bm25
                when not %(lexical)s then m.cosine
                -- The lift is for the threshold: it says nothing about which passage is better, and would put another language first.
                when %(fusion)s = 'absolute' then m.absolute - case when m.apart then %(apart_lift)s else 0 end
                when %(fusion)s = 'rrf' then coalesce(1 / (%(rrf_k)s + m.lexical_rank), 0) + coalesce(1 / (%(rrf_k)s + m.vector_rank), 0)
                else %(lexical_weight)s * m.bm25_share + %(vector_weight)s * m.cosine_share
           end as score
    from measured m
),
best as materialized (
    select f.* from fused f order by f.score desc, f.id limit %(k)s
)
select b.id, d.source as document, d.title, c.heading_path, c.page,
       coalesce(d.metadata ->> 'url', substring(d.source from '^https?://.*$')) as url,
       c.origin, c.content_type, c.language, c.body as text, c.char_start as start, c.char_end as "end", c.token_count, d.metadata || c.metadata as metadata,
       b.bm25, b.cosine, case when %(lexical)s and %(vector)s then b.absolute end as absolute,
       case when %(lexical)s and %(vector)s then b.near end as near, b.apart, b.score, b.lexical_rank, b.vector_rank, d.modified
from best b
join tadori.chunk c on c.tid = %(tid)s and c.chunk = b.chunk
cross join lateral (
    select d.source, d.title, d.metadata, d.modified
    from tadori.document d
    where d.tid = c.tid and d.coll = c.coll and d.content = c.content and (not %(filtered)s or ({passes}))
    order by d.document + 0
    limit 1
) d
order by b.score desc, b.id
