-- Part of eligible_by_label.sql: the condition that a document has a further label.
-- placeholders: key, value  parameters of type text
 and exists (
        select from tadori.document_label o
        where o.tid = l.tid and o.coll = l.coll and o.document = l.document and o.label = tadori.label_number({key}::text, {value}::text)
    )
