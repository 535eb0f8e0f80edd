-- Finds the numbers of reader sets.
-- parameters: sets text[], each set as a JSON list of its readers in order
-- columns:    readers, audience
select a.readers, a.audience
from tadori.audience a
where a.tid = tadori.current_tid()
  and a.readers in (select array(select jsonb_array_elements_text(g.readers::jsonb)) from unnest(%(sets)s::text[]) as g (readers))
