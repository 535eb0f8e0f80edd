-- Takes back what a person decided of two keys.
-- parameters: tid, coll integer; key, other text, in the order of their bytes; same boolean
-- columns:    none
delete from tadori.entity_choice e
where e.tid = %(tid)s and e.coll = %(coll)s and e.key = %(key)s and e.other = %(other)s and e.same = %(same)s
