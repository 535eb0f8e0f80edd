-- The migrations that were applied to this database. Run as the owner.
-- Parameters: none. Columns: version int, name text, in order.
select version, name from tadori.migration order by version;
