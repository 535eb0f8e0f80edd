-- Compares what is kept of a collection's entities with the chunks it was read out of.
-- parameters: tid, coll integer
-- placeholders: title
-- columns:    difference text; no row means that all agree
with
chunks as materialized (
    select c.chunk, c.id, c.tid, c.coll, c.content, c.audience from tadori.chunk c where c.tid = %(tid)s and c.coll = %(coll)s
),
kept as materialized (
    select k.kind, k.chunk, k.coll, k.audience
    from (
        select 'mentions' as kind, m.chunk, m.coll, m.audience from tadori.mention m where m.tid = %(tid)s
        union
        select 'relations', r.chunk, r.coll, r.audience from tadori.relation r where r.tid = %(tid)s
        union
        select 'aliases', a.chunk, a.coll, a.audience from tadori.alias a where a.tid = %(tid)s
        union
        select 'extractions', e.chunk, e.coll, e.audience from tadori.extraction e where e.tid = %(tid)s
    ) k
    where k.coll = %(coll)s or k.chunk in (select c.chunk from chunks c)
),
named as (
    select r.chunk, r.head as key from tadori.relation r where r.tid = %(tid)s and r.coll = %(coll)s
    union
    select r.chunk, r.tail from tadori.relation r where r.tid = %(tid)s and r.coll = %(coll)s
    union
    select a.chunk, a.key from tadori.alias a where a.tid = %(tid)s and a.coll = %(coll)s
    union
    select a.chunk, a.same_as from tadori.alias a where a.tid = %(tid)s and a.coll = %(coll)s
)
select format('chunk %%s: its %%s have collection %%s and audience %%s, not %%s and %%s', c.id, k.kind, k.coll, k.audience, c.coll, c.audience)
from chunks c join kept k on k.chunk = c.chunk
where (k.coll, k.audience) <> (c.coll, c.audience)
union all
select format('%%s of chunk number %%s: there is no such chunk in the collection', k.kind, k.chunk)
from kept k
where not exists (select from chunks c where c.chunk = k.chunk)
union all
select format('chunk %%s: it has %%s, but nobody has read it', c.id, k.kind)
from chunks c join kept k on k.chunk = c.chunk
where not exists (select from kept e where e.chunk = c.chunk and e.kind = 'extractions')
union all
select format('chunk %%s: something is said of %%L, which is not among its mentions', c.id, n.key)
from chunks c join named n on n.chunk = c.chunk
where not exists (select from tadori.mention m where m.tid = %(tid)s and m.coll = %(coll)s and m.key = n.key and m.chunk = n.chunk)
union all
select format('chunk %%s: it was read under the title %%L, and has %%L', c.id, e.title, {title})
from chunks c join tadori.extraction e on e.tid = c.tid and e.chunk = c.chunk
where e.title <> {title}
