-- Lists the sources of a collection, those that failed too.
-- parameters: tid, coll integer
-- columns:    source, in the order of its bytes
select d.source
from tadori.document d
where d.tid = %(tid)s and d.coll = %(coll)s
order by d.source collate "C"
