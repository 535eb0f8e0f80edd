-- Part of the graph's statements: the title that everyone who may read the chunk c may read too, whatever documents have its text.
-- Not that of a document with readers of its own: a name from it would tell the others what it is called.
-- columns:    none: it is an expression; '' where there is no such title
coalesce((
    select d.title from tadori.document d
    where d.tid = c.tid and d.coll = c.coll and d.content = c.content and d.audience = c.audience
    order by d.source limit 1
), '')
