-- Adds turns to the transaction's tenant; one that is there already stays as it is.
-- parameters: turns jsonb  a list of {id, at, status, ms}
-- columns:    none
insert into tadori.turn (tid, turn, at, status, ms)
select tadori.current_tid(), t.id, t.at, t.status, t.ms
from jsonb_to_recordset(%(turns)s::jsonb) as t (id uuid, at timestamptz, status text, ms real)
on conflict (tid, turn) do nothing
