-- Part of hybrid.sql in place of eligible.sql, where the filter is of metadata alone: from labels to chunks by two indexes, no row being read.
-- A label is a number for a key and a value: what the metadata says is compared at the end of hybrid.sql, for the passages that are found.
-- parameters: tid, coll integer; filtered boolean; key_0, value_0 text, and those of each further pair
-- columns:    chunk
    select distinct c.chunk
    from tadori.document_label l
    join tadori.chunk c on c.tid = l.tid and c.coll = l.coll and c.content = l.content
    where %(filtered)s and l.tid = %(tid)s and l.coll = %(coll)s and l.label = tadori.label_number(%(key_0)s::text, %(value_0)s::text){others}
