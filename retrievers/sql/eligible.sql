-- Part of hybrid.sql: the chunks that pass the filter, by what stands in their documents.
-- parameters: tid, coll integer; filtered boolean, and those of the filter
-- columns:    chunk
    select distinct c.chunk
    from tadori.document d
    join tadori.chunk c on c.tid = d.tid and c.coll = d.coll and c.content = d.content
    where %(filtered)s and d.tid = %(tid)s and d.coll = %(coll)s and {passes}
