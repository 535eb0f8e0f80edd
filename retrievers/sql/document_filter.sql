-- The condition on a document `d` that a search filters by; put into hybrid.sql where {passes} stands.
-- parameters: keys, vals text[]  pairs that must all hold: the metadata value as text, or an element of it where it is a list
--             since, until timestamptz  the modified date, inclusive and exclusive; null means open, a document without a date fails
(%(since)s::timestamptz is null or d.modified >= %(since)s)
and (%(until)s::timestamptz is null or d.modified < %(until)s)
and not exists (
    select
    from unnest(%(keys)s::text[], %(vals)s::text[]) as f (key, value)
    where not coalesce(
        case jsonb_typeof(d.metadata -> f.key)
            when 'array' then exists (select from jsonb_array_elements_text(d.metadata -> f.key) as e (item) where e.item = f.value)
            else d.metadata ->> f.key = f.value
        end,
        false)
)
