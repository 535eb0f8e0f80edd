-- The chunks of a collection that have no vector in a space yet, with what their text is put together from, by number.
-- parameters: tid, coll, after, rows integer   after: only chunks with a higher number
-- placeholders: vectors
-- columns:    chunk, ordinal, body, heading_path, char_start, char_end, token_count, title
select c.chunk, c.ordinal, c.body, c.heading_path, c.char_start, c.char_end, c.token_count,
       -- Of the documents with the same text the first one gave the chunk its title.
       coalesce((
           select d.title from tadori.document d where d.tid = c.tid and d.coll = c.coll and d.content = c.content order by d.document limit 1
       ), '') as title
from tadori.chunk c
-- One probe of the key for each chunk, whatever the planner believes: of a space that fills up it has no statistics, and would read
-- all of it for every batch.
left join lateral (select true as there from tadori.{vectors} v where v.tid = %(tid)s and v.chunk = c.chunk offset 0) v on true
where c.tid = %(tid)s and c.coll = %(coll)s and c.chunk > %(after)s and v.there is null
order by c.chunk
limit %(rows)s
