-- Adds reader sets that are new to the tenant.
-- parameters: sets text[], each set as a JSON list of its readers in order
-- columns:    none
insert into tadori.audience (tid, readers)
select tadori.current_tid(), array(select jsonb_array_elements_text(g.readers::jsonb))
from unnest(%(sets)s::text[]) as g (readers)
on conflict (tid, readers) do nothing
