-- Says how large a space is and what IVFFlat index it has. Run as anyone: the catalogue alone is read.
-- parameters: vectors regclass   the space's table
-- columns:    rows double precision (the planner's; below 0 where it never looked), lists integer: null where there is no valid index
select k.reltuples::double precision as rows,
       (select max(substring(o.option from '^lists=(\d+)$')::integer)
        from pg_index i
        join pg_class c on c.oid = i.indexrelid
        cross join unnest(c.reloptions) as o (option)
        where i.indrelid = k.oid and i.indisvalid) as lists
from pg_class k
where k.oid = %(vectors)s::text::regclass
