-- Part of graph_expand.sql: by which other keys the entities of {keys} go, by what a text says or a person decided.
-- parameters: tid, coll integer
-- placeholders: keys, a table with a column key
-- columns:    key, other; not the pairs that a person told apart
    select s.key, s.other
    from {keys} k
    cross join lateral (
        select k.key, a.same_as as other from tadori.alias a where a.tid = %(tid)s and a.coll = %(coll)s and a.key = k.key
        union
        select k.key, a.key from tadori.alias a where a.tid = %(tid)s and a.coll = %(coll)s and a.same_as = k.key
        union
        select k.key, e.other from tadori.entity_choice e where e.tid = %(tid)s and e.coll = %(coll)s and e.key = k.key and e.same
        union
        select k.key, e.key from tadori.entity_choice e where e.tid = %(tid)s and e.coll = %(coll)s and e.other = k.key and e.same
    ) s
    where not exists (
        select from tadori.entity_choice e
        where e.tid = %(tid)s and e.coll = %(coll)s and not e.same and e.key = least(s.key collate "C", s.other collate "C") and e.other = greatest(s.key collate "C", s.other collate "C")
    )
