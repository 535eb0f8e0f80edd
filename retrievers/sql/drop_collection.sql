-- Deletes a collection; contents, chunks, vectors and terms go with it by their foreign keys.
-- Postings have no foreign key, for speed, and documents point into contents: both go first.
-- parameters: tid, coll integer
-- columns:    none
with
postings as (
    delete from tadori.posting p where p.tid = %(tid)s and p.coll = %(coll)s
),
documents as (
    delete from tadori.document d where d.tid = %(tid)s and d.coll = %(coll)s
)
delete from tadori.collection c where c.tid = %(tid)s and c.coll = %(coll)s
