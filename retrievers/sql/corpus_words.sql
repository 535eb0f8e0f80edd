-- Part of hybrid.sql and near_headings.sql: the collection's statistics and what each word of the query is worth in it.
-- parameters: tid, coll integer; words text[]; k1, b double precision
-- tables:     stats (n, mean_length), word (place, term, gain, base, slope): place in the query from 1, term null where the
--             collection lacks the word
stats as materialized (
    select c.chunk_count::double precision as n, greatest(c.token_count, 1)::double precision / greatest(c.chunk_count, 1) as mean_length
    from tadori.collection c
    where c.tid = %(tid)s and c.coll = %(coll)s
),
-- BM25 of a word in a chunk is gain * tf / (tf + base + slope * length). A word that the collection lacks has no term, but counts
-- in what the query could reach at most, with the largest gain that a word there can have: that of a word in one chunk.
word as materialized (
    select q.place, t.term,
           (%(k1)s + 1) * ln(1 + (s.n - u.df + 0.5) / (u.df + 0.5)) as gain,
           %(k1)s * (1 - %(b)s) as base,
           %(k1)s * %(b)s / s.mean_length as slope
    from stats s
    cross join unnest(%(words)s::text[]) with ordinality as q (word, place)
    left join lateral (
        select t.term, t.df from tadori.term t where t.tid = %(tid)s and t.coll = %(coll)s and t.word = q.word offset 0
    ) t on true
    cross join lateral (select greatest(t.df, 1) as df) u
    order by t.term
),
