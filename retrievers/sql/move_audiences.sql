-- Gives texts another audience, and with them their chunks, postings and vectors: each arm checks readers before its limit.
-- parameters: tid, coll integer; contents, audiences integer[]
-- placeholders: vectors
-- columns:    none
with
given as materialized (
    select g.content, g.audience from unnest(%(contents)s::integer[], %(audiences)s::integer[]) as g (content, audience)
),
contents as (
    update tadori.content c
    set audience = g.audience
    from given g
    where c.tid = %(tid)s and c.coll = %(coll)s and c.content = g.content
),
moved as materialized (
    select c.chunk, c.terms, g.audience
    from given g
    join tadori.chunk c on c.tid = %(tid)s and c.coll = %(coll)s and c.content = g.content
),
chunks as (
    update tadori.chunk c set audience = m.audience from moved m where c.tid = %(tid)s and c.chunk = m.chunk
),
vectors as (
    update tadori.{vectors} v set audience = m.audience from moved m where v.tid = %(tid)s and v.chunk = m.chunk
)
update tadori.posting p
set audience = m.audience
from moved m
cross join unnest(m.terms) as t (term)
where p.tid = %(tid)s and p.coll = %(coll)s and p.term = t.term and p.chunk = m.chunk
