-- Notes that a stage failed for a source. A stored version stays as it is; a source that is new becomes a document without text.
-- parameters: tid, coll, audience integer; source, stage, reason text
-- columns:    none
insert into tadori.document (tid, coll, source, audience, stages)
values (%(tid)s, %(coll)s, %(source)s, %(audience)s, jsonb_build_object(%(stage)s::text, jsonb_build_object('status', 'failed', 'reason', %(reason)s::text)))
on conflict (tid, coll, source) do update set stages = document.stages || excluded.stages
