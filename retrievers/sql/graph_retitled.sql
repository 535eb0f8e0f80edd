-- The chunks of some texts that were read under a title which is not theirs any more.
-- parameters: tid, coll integer; contents integer[]
-- placeholders: title
-- columns:    chunk
select c.chunk
from tadori.chunk c
join tadori.extraction e on e.tid = c.tid and e.chunk = c.chunk
where c.tid = %(tid)s and c.coll = %(coll)s and c.content = any (%(contents)s::integer[]) and e.title <> {title}
