-- Says whether the planner's picture of the store is of another size: never taken, or of less than half the chunks there are now.
-- Autovacuum takes it about a minute later, and until then single look-ups are planned as scans.
-- parameters: tid, coll integer; least integer, the number of chunks below which any plan will do
-- columns:    stale boolean
select c.chunk_count >= %(least)s and c.chunk_count > 2 * (select k.reltuples from pg_class k where k.oid = 'tadori.chunk'::regclass) as stale
from tadori.collection c
where c.tid = %(tid)s and c.coll = %(coll)s
