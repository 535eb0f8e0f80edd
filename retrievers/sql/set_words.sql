-- Gives chunks other words than they were stored with, and counts their length in.
-- parameters: tid, coll integer; chunks, lengths integer[]; terms text[], each an array as text
-- columns:    none
with
changed as (
    update tadori.chunk c
    set terms = g.terms::integer[], length = g.length
    from unnest(%(chunks)s::integer[], %(lengths)s::integer[], %(terms)s::text[]) as g (chunk, length, terms)
    where c.tid = %(tid)s and c.coll = %(coll)s and c.chunk = g.chunk
)
update tadori.collection k
set token_count = k.token_count + (select coalesce(sum(l.length), 0) from unnest(%(lengths)s::integer[]) as l (length))
where k.tid = %(tid)s and k.coll = %(coll)s
