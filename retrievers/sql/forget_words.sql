-- Takes every chunk of a collection out of the lexical index; the chunks themselves stay.
-- parameters: tid, coll integer
-- columns:    none
with
postings as (
    delete from tadori.posting p where p.tid = %(tid)s and p.coll = %(coll)s
)
delete from tadori.term t where t.tid = %(tid)s and t.coll = %(coll)s
