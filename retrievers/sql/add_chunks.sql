-- Adds the chunks of new texts and counts them in; each takes the audience of its text.
-- parameters: tid, coll integer; one array for each column, heading_paths as JSON texts, terms and words as array texts, metadata as JSON texts
-- columns:    id, chunk
with
given as materialized (
    select *
    from unnest(
        %(contents)s::integer[], %(ids)s::text[], %(ordinals)s::integer[], %(parents)s::integer[], %(bodies)s::text[], %(contexts)s::text[],
        %(heading_paths)s::text[], %(pages)s::integer[], %(starts)s::integer[], %(ends)s::integer[], %(token_counts)s::integer[],
        %(lengths)s::integer[], %(terms)s::text[], %(words)s::text[], %(content_types)s::text[], %(languages)s::text[], %(origins)s::text[], %(metadata)s::text[]
    ) with ordinality as g (
        content, id, ordinal, parent, body, context, heading_path, page, char_start, char_end, token_count, length, terms, words, content_type,
        language, origin, metadata, place
    )
),
counted as (
    update tadori.collection c
    set chunk_count = c.chunk_count + (select count(*) from given), token_count = c.token_count + (select coalesce(sum(g.length), 0) from given g)
    where c.tid = %(tid)s and c.coll = %(coll)s
)
insert into tadori.chunk (
    tid, coll, content, id, ordinal, parent, body, context, heading_path, page, char_start, char_end, token_count, length, terms, words,
    content_type, language, origin, audience, metadata
)
select %(tid)s, %(coll)s, g.content, g.id, g.ordinal, g.parent, g.body, g.context,
       array(select h.heading from jsonb_array_elements_text(g.heading_path::jsonb) with ordinality as h (heading, depth) order by h.depth),
       g.page, g.char_start, g.char_end, g.token_count, g.length, g.terms::integer[], g.words::integer[], g.content_type, g.language, g.origin, c.audience,
       g.metadata::jsonb
from given g
join tadori.content c on c.tid = %(tid)s and c.coll = %(coll)s and c.content = g.content
order by g.place
returning id, chunk
