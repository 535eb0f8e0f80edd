-- Notes that a collection's words are cut by another analyser from now on, and that none are counted yet.
-- parameters: tid, coll integer; analyser text
-- columns:    none
update tadori.collection k
set analyser = %(analyser)s, token_count = 0, generation = k.generation + 1
where k.tid = %(tid)s and k.coll = %(coll)s
