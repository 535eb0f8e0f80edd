-- Keeps what a person decided of two keys, in place of what was decided before.
-- parameters: tid, coll integer; key, other text, in the order of their bytes; same boolean
-- columns:    none
insert into tadori.entity_choice (tid, coll, key, other, same)
values (%(tid)s, %(coll)s, %(key)s, %(other)s, %(same)s)
on conflict (tid, coll, key, other) do update set same = excluded.same, made = now()
