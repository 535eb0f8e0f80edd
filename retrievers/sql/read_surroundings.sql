-- Reads what stands around found chunks: for each, the chunks nearby in the same text, and that text from the first to the last of them.
-- Run as tadori_app by retrievers/store/reading.py.
-- parameters: collection text, ids text[]
--             reach integer   chunks on either side
-- columns:    id       the chunk that was found; one that is unknown has no row
--             content  equal for chunks of one text
--             start    where `text` begins in the stored text
--             text
--             chunks   jsonb, in order: id, ordinal, start, end, tokens, heading_path, page
select k.id, k.content, w.start, substr(t.body, w.start + 1, w."end" - w.start) as text, w.chunks
from tadori.collection h
join tadori.chunk k on k.tid = h.tid and k.coll = h.coll and k.id = any (%(ids)s::text[])
cross join lateral (
    select min(n.char_start) as start, max(n.char_end) as "end",
           jsonb_agg(
               jsonb_build_object(
                   'id', n.id, 'ordinal', n.ordinal, 'start', n.char_start, 'end', n.char_end, 'tokens', n.token_count,
                   'heading_path', n.heading_path, 'page', n.page
               )
               order by n.ordinal
           ) as chunks
    from tadori.chunk n
    where n.tid = k.tid and n.coll = k.coll and n.content = k.content
      and n.ordinal between k.ordinal - %(reach)s::integer and k.ordinal + %(reach)s::integer
) w
join tadori.content t on t.tid = k.tid and t.coll = k.coll and t.content = k.content
where h.name = %(collection)s
