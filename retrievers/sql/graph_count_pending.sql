-- Counts the chunks of graph_pending.sql.
-- parameters: tid, coll integer; extractor text, null: no extractor at all; retry_failed boolean
-- columns:    chunks
select count(*) as chunks
from tadori.chunk c
left join tadori.extraction e on e.tid = c.tid and e.chunk = c.chunk
where c.tid = %(tid)s and c.coll = %(coll)s and (e.chunk is null or e.extractor <> %(extractor)s or (%(retry_failed)s and e.failed is not null))
