-- Takes texts out of the lexical index: their postings, their share of the counts, and words that no chunk holds any more.
-- The texts themselves follow with delete_contents.sql, chunks and vectors by their foreign keys.
-- parameters: tid, coll integer; contents integer[]
-- columns:    chunks: how many chunks go
with
gone as materialized (
    select c.chunk, c.terms, c.length
    from tadori.chunk c
    where c.tid = %(tid)s and c.coll = %(coll)s and c.content = any (%(contents)s::integer[])
),
lost as materialized (
    select t.term, count(*)::integer as df from gone g cross join unnest(g.terms) as t (term) group by t.term
),
-- One probe of the key for each posting, whatever the planner believes: a new table without statistics else has it read whole, once per chunk.
postings as (
    delete from tadori.posting p
    where p.ctid = any (array(
        select k.ctid
        from gone g
        cross join unnest(g.terms) as t (term)
        cross join lateral (
            select o.ctid from tadori.posting o where o.tid = %(tid)s and o.coll = %(coll)s and o.term = t.term and o.chunk = g.chunk offset 0
        ) k
    ))
),
rarer as (
    update tadori.term t
    set df = t.df - l.df
    from lost l
    where t.tid = %(tid)s and t.coll = %(coll)s and t.term = l.term and t.df > l.df
),
unused as (
    delete from tadori.term t
    using lost l
    where t.tid = %(tid)s and t.coll = %(coll)s and t.term = l.term and t.df <= l.df
),
counted as (
    update tadori.collection c
    set chunk_count = c.chunk_count - (select count(*) from gone), token_count = c.token_count - (select coalesce(sum(g.length), 0) from gone g)
    where c.tid = %(tid)s and c.coll = %(coll)s
)
select count(*) as chunks from gone
