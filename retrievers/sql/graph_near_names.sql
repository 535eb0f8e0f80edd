-- Entities that may be meant by a name that none has: those that begin like it, and those that hold one of the words. Reads all of the collection's.
-- parameters: tid, coll integer; beginning text; words text[], the name and halves of its words; most integer
-- columns:    key, name
select m.key, min(m.name collate "C") as name
from tadori.mention m
where m.tid = %(tid)s and m.coll = %(coll)s
  and (starts_with(m.key, %(beginning)s) or exists (select from unnest(%(words)s::text[]) as w (word) where position(w.word in m.key) > 0))
group by m.key
order by m.key
limit %(most)s
