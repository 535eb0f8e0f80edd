-- Counts in how many chunks of a collection each word of a query stands, and gives the numbers by which their postings are read.
-- `offset 0` as in hybrid.sql.
-- parameters: tid, coll integer   the collection
--             words text[]        the query as analysed
-- columns:    word, term, df: rarest first, ties by word; without words that the collection lacks
select q.word, t.term, t.df
from unnest(%(words)s::text[]) as q (word)
cross join lateral (
    select t.term, t.df from tadori.term t where t.tid = %(tid)s and t.coll = %(coll)s and t.word = q.word offset 0
) t
order by t.df, q.word
