-- Forgets all that was read out of some chunks, and that they were read.
-- parameters: tid integer; chunks integer[]
-- columns:    none
with
mentions as (
    delete from tadori.mention m where m.tid = %(tid)s and m.chunk = any (%(chunks)s::integer[])
),
relations as (
    delete from tadori.relation r where r.tid = %(tid)s and r.chunk = any (%(chunks)s::integer[])
),
aliases as (
    delete from tadori.alias a where a.tid = %(tid)s and a.chunk = any (%(chunks)s::integer[])
)
delete from tadori.extraction e where e.tid = %(tid)s and e.chunk = any (%(chunks)s::integer[])
