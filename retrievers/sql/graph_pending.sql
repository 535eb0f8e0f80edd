-- The chunks that an extractor has not read, by number.
-- parameters: tid, coll, after, rows integer   after: only chunks with a higher number
--             extractor text                    null: no extractor at all
--             retry_failed boolean             with those that it could not read
-- placeholders: title
-- columns:    chunk, title, heading_path, text, language
select c.chunk, {title} as title, c.heading_path, c.body as text, c.language
from tadori.chunk c
left join tadori.extraction e on e.tid = c.tid and e.chunk = c.chunk
where c.tid = %(tid)s and c.coll = %(coll)s and c.chunk > %(after)s
  and (e.chunk is null or e.extractor <> %(extractor)s or (%(retry_failed)s and e.failed is not null))
order by c.chunk
limit %(rows)s
