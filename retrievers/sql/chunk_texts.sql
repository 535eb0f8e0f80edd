-- The chunks of a collection with what their text is put together from, by number.
-- parameters: tid, coll, after, rows integer   after: only chunks with a higher number
-- columns:    chunk, ordinal, body, heading_path, char_start, char_end, token_count, title
select c.chunk, c.ordinal, c.body, c.heading_path, c.char_start, c.char_end, c.token_count, d.title
from tadori.chunk c
-- Of the documents with the same text the first one gave the chunk its title.
join lateral (
    select d.title from tadori.document d where d.tid = c.tid and d.coll = c.coll and d.content = c.content order by d.document limit 1
) d on true
where c.tid = %(tid)s and c.coll = %(coll)s and c.chunk > %(after)s
order by c.chunk
limit %(rows)s
