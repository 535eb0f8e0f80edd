-- All keys of an entity: those given, and those that a text or a person says are the same, step by step.
-- Over what a person told apart no step leads, nor back to what was told apart from a given key by another way.
-- parameters: tid, coll integer; keys text[]; steps, most integer
-- columns:    key: the nearest first, ties by key; of those not given, the ones that a passage mentions which the reader may read
with recursive
apart as materialized (
    select e.other as key from tadori.entity_choice e
    where e.tid = %(tid)s and e.coll = %(coll)s and not e.same and e.key = any (%(keys)s::text[])
    union
    select e.key from tadori.entity_choice e
    where e.tid = %(tid)s and e.coll = %(coll)s and not e.same and e.other = any (%(keys)s::text[])
),
walk as (
    select k.key, 0 as step from unnest(%(keys)s::text[]) as k (key)
    union
    select n.key, w.step + 1
    from walk w
    cross join lateral (
        select a.same_as as key from tadori.alias a where a.tid = %(tid)s and a.coll = %(coll)s and a.key = w.key
        union
        select a.key from tadori.alias a where a.tid = %(tid)s and a.coll = %(coll)s and a.same_as = w.key
        union
        select e.other from tadori.entity_choice e where e.tid = %(tid)s and e.coll = %(coll)s and e.key = w.key and e.same
        union
        select e.key from tadori.entity_choice e where e.tid = %(tid)s and e.coll = %(coll)s and e.other = w.key and e.same
        order by key
        limit %(most)s
    ) n
    where w.step < %(steps)s
      and n.key not in (select p.key from apart p)
      and not exists (
          select from tadori.entity_choice e
          where e.tid = %(tid)s and e.coll = %(coll)s and not e.same and (e.key, e.other) in ((w.key, n.key), (n.key, w.key))
      )
)
-- A decision names keys that this reader may know nothing of: those are left out, though a step may lead over them.
select w.key
from walk w
where w.key = any (%(keys)s::text[])
   or exists (select from tadori.mention m where m.tid = %(tid)s and m.coll = %(coll)s and m.key = w.key)
group by w.key
order by min(w.step), w.key
limit %(most)s
