-- Counts in how many chunks of a collection each word of a query stands.
-- `offset 0` as in hybrid.sql.
-- parameters: tid, coll integer   the collection
--             words text[]        the query as analysed
-- columns:    word, df: rarest first, 0 where the collection lacks it, ties by word
select q.word, coalesce(t.df, 0) as df
from unnest(%(words)s::text[]) as q (word)
left join lateral (
    select t.df from tadori.term t where t.tid = %(tid)s and t.coll = %(coll)s and t.word = q.word offset 0
) t on true
order by df, q.word
