-- The IVFFlat indexes of a space beside one: older ones, and what a killed builder left. Run as anyone: the catalogue alone is read.
-- parameters: vectors regclass, name text
-- columns:    name text
select c.relname::text as name
from pg_index i
join pg_class c on c.oid = i.indexrelid
join pg_am a on a.oid = c.relam
where i.indrelid = %(vectors)s::text::regclass and a.amname = 'ivfflat' and c.relname <> %(name)s::text
order by 1
