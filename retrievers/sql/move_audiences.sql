-- Gives texts another audience, and with them their chunks, postings, vectors and entities: each arm checks readers before its limit.
-- parameters: tid, coll integer; contents, audiences integer[]
-- placeholders: vectors, windows
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
),
windows as (
    update tadori.{windows} w set audience = m.audience from moved m where w.tid = %(tid)s and w.chunk = m.chunk
),
mentions as (
    update tadori.mention e set audience = m.audience from moved m where e.tid = %(tid)s and e.chunk = m.chunk
),
relations as (
    update tadori.relation r set audience = m.audience from moved m where r.tid = %(tid)s and r.chunk = m.chunk
),
aliases as (
    update tadori.alias a set audience = m.audience from moved m where a.tid = %(tid)s and a.chunk = m.chunk
),
extractions as (
    update tadori.extraction e set audience = m.audience from moved m where e.tid = %(tid)s and e.chunk = m.chunk
)
update tadori.posting p
set audience = k.audience
from (
    -- One probe of the key for each posting, as in remove_contents.sql.
    select o.ctid, m.audience
    from moved m
    cross join unnest(m.terms) as t (term)
    cross join lateral (
        select o.ctid from tadori.posting o where o.tid = %(tid)s and o.coll = %(coll)s and o.term = t.term and o.chunk = m.chunk offset 0
    ) o
) k
where p.ctid = k.ctid
