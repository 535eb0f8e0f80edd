-- Says who may read some texts by way of which documents.
-- parameters: tid, coll integer; contents integer[]
-- columns:    content, audience, readers: one for each reader set of a document; empty where no document has the text any more
select c.content, c.audience, a.readers
from tadori.content c
left join tadori.document d on d.tid = c.tid and d.coll = c.coll and d.content = c.content
left join tadori.audience a on a.tid = d.tid and a.audience = d.audience
where c.tid = %(tid)s and c.coll = %(coll)s and c.content = any (%(contents)s::integer[])
