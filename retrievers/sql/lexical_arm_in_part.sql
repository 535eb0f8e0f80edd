-- Part of hybrid.sql in place of lexical_arm.sql, where some words are too common to read all their postings: those are looked up by key,
-- in the chunks that score best without them, or in each chunk that passes a narrow filter.
-- parameters: those of corpus_words.sql; lexical, filtered boolean; fetch integer
--             unread integer[]        numbers of the words whose postings are not read, see store/common_words.py
--             rescored integer        so many chunks are scored with those words too
--             exact_filtered integer  up to so many chunks that pass the filter, all words are looked up in each
-- tables:     lexical_top (chunk, bm25), read from stats, word and eligible
-- Rounded as in lexical_arm.sql.
narrow as materialized (
    select %(filtered)s and (select count(*) from eligible) <= %(exact_filtered)s as is_so
),
rare_score as (
    select p.chunk, sum(w.gain * p.tf / (p.tf + w.base + w.slope * p.dl)) as bm25
    from word w
    cross join lateral (
        select p.chunk, p.tf, p.dl from tadori.posting p where p.tid = %(tid)s and p.coll = %(coll)s and p.term = w.term offset 0
    ) p
    where %(lexical)s
      and w.term <> all (%(unread)s::integer[])
      and not (select n.is_so from narrow n)
      and (not %(filtered)s or p.chunk in (select e.chunk from eligible e))
    group by p.chunk
),
hopeful as materialized (
    (select s.chunk, s.bm25 from rare_score s order by s.bm25 desc, s.chunk limit %(rescored)s)
    union all
    select e.chunk, 0 from eligible e where %(lexical)s and (select n.is_so from narrow n)
),
whole_score as (
    select h.chunk, round((h.bm25 + (
        select coalesce(sum(w.gain * o.tf / (o.tf + w.base + w.slope * o.dl)), 0)
        from word w
        cross join lateral (
            select p.tf, p.dl from tadori.posting p
            where p.tid = %(tid)s and p.coll = %(coll)s and p.term = w.term and p.chunk = h.chunk offset 0
        ) o
        where w.term = any (%(unread)s::integer[]) or (select n.is_so from narrow n)
    )) * 1e9) / 1e9 as bm25
    from hopeful h
),
lexical_top as materialized (
    select s.chunk, s.bm25 from whole_score s where s.bm25 > 0 order by s.bm25 desc fetch first %(fetch)s rows with ties
),
