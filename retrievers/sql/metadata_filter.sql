-- The condition on the metadata of a document `d` that a search filters by; stands once for each pair in what hybrid.sql calls {{passes}}.
-- placeholders: key, value  parameters of type text: the metadata value as text equals it, or where it is a list holds it
-- The label finds the documents by key; it is a number for the pair, so what the metadata says is compared again.
exists (
    select from tadori.document_label l
    where l.tid = d.tid and l.coll = d.coll and l.label = tadori.label_number({key}::text, {value}::text) and l.document = d.document
)
and coalesce(
    case jsonb_typeof(d.metadata -> {key}::text)
        when 'array' then exists (
            select from jsonb_array_elements_text(d.metadata -> {key}::text) as e (item) where e.item = {value}::text
        )
        else d.metadata ->> {key}::text = {value}::text
    end,
    false)
