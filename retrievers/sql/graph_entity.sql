-- How an entity is spelt, of what kinds it is, and how many chunks hold it.
-- parameters: tid, coll integer; keys text[]; most integer, the mentions looked at; most_names integer
-- columns:    names, kinds: the most frequent first, ties by name; passages
with
held as materialized (
    select m.chunk, m.name, m.kind, m.count
    from tadori.mention m
    where m.tid = %(tid)s and m.coll = %(coll)s and m.key = any (%(keys)s::text[])
    order by m.key, m.chunk
    limit %(most)s
)
select array(select h.name from held h group by h.name order by sum(h.count) desc, h.name collate "C" limit %(most_names)s) as names,
       array(select h.kind from held h group by h.kind order by count(*) desc, h.kind) as kinds,
       (select count(distinct h.chunk) from held h) as passages
