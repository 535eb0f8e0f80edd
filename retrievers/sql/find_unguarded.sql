-- The tables of our schemas on which row-level security is not both enabled and forced. Run as anyone.
-- Parameters: schemas text[]. Columns: name text ("schema.table"), in order; no row means that all are guarded.
select format('%%I.%%I', n.nspname, c.relname) as name
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = any (%(schemas)s) and c.relkind in ('r', 'p') and not (c.relrowsecurity and c.relforcerowsecurity)
order by 1;
