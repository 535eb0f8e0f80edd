-- Gives chunks other words than they were stored with, and counts their length in.
-- parameters: tid, coll integer; chunks, lengths integer[]; terms, words text[], each an array as text
-- columns:    none
with
changed as (
    update tadori.chunk c
    set terms = g.terms::integer[], words = g.words::integer[], length = g.length
    from unnest(%(chunks)s::integer[], %(lengths)s::integer[], %(terms)s::text[], %(words)s::text[]) as g (chunk, length, terms, words)
    where c.tid = %(tid)s and c.coll = %(coll)s and c.chunk = g.chunk
)
update tadori.collection k
set token_count = k.token_count + (select coalesce(sum(l.length), 0) from unnest(%(lengths)s::integer[]) as l (length))
where k.tid = %(tid)s and k.coll = %(coll)s
