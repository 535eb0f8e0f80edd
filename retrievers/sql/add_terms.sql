-- Counts words in: `counts` chunks more hold each. A word keeps its number while any chunk holds it; the caller holds the collection's lock.
-- parameters: tid, coll integer; words text[], without repeats; counts integer[]
-- columns:    word, term
with
given as materialized (
    select g.word, g.df from unnest(%(words)s::text[], %(counts)s::integer[]) as g (word, df)
),
known as (
    update tadori.term t
    set df = t.df + g.df
    from given g
    where t.tid = %(tid)s and t.coll = %(coll)s and t.word = g.word
    returning t.word, t.term
),
added as (
    insert into tadori.term (tid, coll, word, df)
    select %(tid)s, %(coll)s, g.word, g.df
    from given g
    where not exists (select from tadori.term t where t.tid = %(tid)s and t.coll = %(coll)s and t.word = g.word)
    order by g.word collate "C"
    returning word, term
)
select k.word, k.term from known k
union all
select a.word, a.term from added a
