-- Part of hybrid.sql: the chunks that score best by exact BM25.
-- parameters: those of corpus_words.sql; lexical, filtered boolean; fetch integer
-- tables:     lexical_top (chunk, bm25), read from stats, word and eligible
-- Rounded, so that equal texts tie whatever order their words were summed in. Ties at the limit are cut later, by id.
lexical_score as (
    select p.chunk, round(sum(w.gain * p.tf / (p.tf + w.base + w.slope * p.dl)) * 1e9) / 1e9 as bm25
    from word w
    cross join lateral (
        select p.chunk, p.tf, p.dl from tadori.posting p where p.tid = %(tid)s and p.coll = %(coll)s and p.term = w.term offset 0
    ) p
    where %(lexical)s and (not %(filtered)s or p.chunk in (select e.chunk from eligible e))
    group by p.chunk
),
lexical_top as materialized (
    select s.chunk, s.bm25 from lexical_score s order by s.bm25 desc fetch first %(fetch)s rows with ties
),
