-- The condition on the dates of a document `d` that a search filters by; part of what hybrid.sql calls {{passes}}.
-- parameters: since, until timestamptz  the modified date, inclusive and exclusive; null means open, a document without a date fails
(%(since)s::timestamptz is null or d.modified >= %(since)s)
and (%(until)s::timestamptz is null or d.modified < %(until)s)
