-- Finds what lies around a few passages: the entities they hold, the passages that hold those too, and what ties these to each other.
-- Run as tadori_app by retrievers/store/expanding.py; the policies hide the mentions, names and passages that the reader may not see, and
-- how many passages hold an entity is counted of those alone. `offset 0` holds the planner to look-ups by key, as in hybrid.sql.
-- parameters: tid, coll integer        the collection
--             seeds text[]             ids of the passages to begin with, the best one first
--             asked text[]             keys that the question may name
--             named text[]             those of them that it names for sure: passages with such a title are seeds too
--             words text[]             the query as analysed; k1, b double precision
--             most integer             passages of an entity beyond which it ties nothing together
--             most_seeds, most_passages integer  bounds of what is looked at
--             filtered boolean         whether documents are restricted, with the parameters of the filter
-- columns:    id; titled: its title is one that the question names; adds: share (0-1) of the query's words, by what they are worth, that
--             the best seed lacks and it has; entities, names text[], titles boolean[], counts integer[]: what it holds that others here
--             hold too, each with its spelling there, whether it is the title, and how many passages hold it
with
{corpus_words}
eligible as materialized (
{eligible}
),
best as materialized (
    select c.terms from tadori.chunk c where c.tid = %(tid)s and c.coll = %(coll)s and c.id = (%(seeds)s::text[])[1]
),
spoken as materialized (
    select k.key
    from unnest(%(asked)s::text[]) as k (key)
    cross join lateral (select from tadori.mention m where m.tid = %(tid)s and m.coll = %(coll)s and m.key = k.key limit 1) m
),
-- One entity by several keys: what is asked by one of them is asked.
question as materialized (
    select key from spoken
    union
    select s.other from (
{same_as_spoken}
    ) s
),
titled as materialized (
    select m.chunk
    from (select q.key from question q where q.key = any (%(named)s::text[]) or q.key not in (select s.key from spoken s)) k
    cross join lateral (
        select m.chunk
        from tadori.mention m
        where m.tid = %(tid)s and m.coll = %(coll)s and m.key = k.key and m.placed = 'title'
        order by m.chunk
        limit 3
    ) m
    where not %(filtered)s or m.chunk in (select e.chunk from eligible e)
    limit %(most_seeds)s
),
seed as materialized (
    select c.chunk from tadori.chunk c where c.tid = %(tid)s and c.coll = %(coll)s and c.id = any (%(seeds)s::text[])
    union
    select t.chunk from titled t
),
held as materialized (
    select distinct m.key
    from seed s
    cross join lateral (select m.key from tadori.mention m where m.tid = %(tid)s and m.coll = %(coll)s and m.chunk = s.chunk offset 0) m
    where m.key not in (select q.key from question q)
),
bridge as materialized (
    select h.key, h.key as entity from held h
    union
    select s.other, s.key from (
{same_as_held}
    ) s
    where s.other not in (select q.key from question q)
),
counted as materialized (
    select b.entity, b.key, n.n
    from bridge b
    cross join lateral (
        select count(*)::integer as n
        from (
            select from tadori.mention m where m.tid = %(tid)s and m.coll = %(coll)s and m.key = b.key limit %(most)s + 1
        ) m
    ) n
    where n.n <= %(most)s
),
reached as materialized (
    select m.chunk
    from counted k
    cross join lateral (
        select m.chunk from tadori.mention m where m.tid = %(tid)s and m.coll = %(coll)s and m.key = k.key limit %(most)s
    ) m
    where (not %(filtered)s or m.chunk in (select e.chunk from eligible e))
    group by m.chunk
    order by sum(1.0 / k.n) desc, m.chunk
    limit %(most_passages)s
),
around as materialized (
    select chunk from seed union select chunk from reached
),
holding as materialized (
    select a.chunk, coalesce(b.entity, m.key) as entity, m.key, m.name, m.placed = 'title' as title
    from around a
    cross join lateral (
        select m.key, m.name, m.placed from tadori.mention m where m.tid = %(tid)s and m.coll = %(coll)s and m.chunk = a.chunk offset 0
    ) m
    left join lateral (select min(b.entity) as entity from bridge b where b.key = m.key) b on true
    where m.key not in (select q.key from question q)
),
shared as materialized (
    select k.entity, n.n
    from (select h.entity from holding h group by h.entity having count(distinct h.chunk) > 1) k
    cross join lateral (
        select count(*)::integer as n
        from (
            select from tadori.mention m where m.tid = %(tid)s and m.coll = %(coll)s and m.key = k.entity limit %(most)s + 1
        ) m
    ) n
    where n.n <= %(most)s
),
tied as (
    select h.chunk, h.entity, min(h.name) as name, bool_or(h.title) as title, max(s.n) as n
    from holding h
    join shared s on s.entity = h.entity
    group by h.chunk, h.entity
)
select c.id, a.chunk in (select t.chunk from titled t) as titled,
       coalesce((select sum(w.gain) filter (where w.term = any (c.terms) and not w.term = any ((select b.terms from best b)::integer[]))
                        / nullif(sum(w.gain), 0) from word w), 0) as adds,
       coalesce(t.entities, '{{}}') as entities, coalesce(t.names, '{{}}') as names, coalesce(t.titles, '{{}}') as titles,
       coalesce(t.counts, '{{}}') as counts
from around a
join tadori.chunk c on c.tid = %(tid)s and c.chunk = a.chunk
left join lateral (
    select array_agg(t.entity order by t.entity) as entities, array_agg(t.name order by t.entity) as names,
           array_agg(t.title order by t.entity) as titles, array_agg(t.n order by t.entity) as counts
    from tied t where t.chunk = a.chunk
) t on true
order by c.id
