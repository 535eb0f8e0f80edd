-- Lets a collection be searched by the vectors of another space, which are complete: readers that were changed while they were built
-- are brought up to date, and what was tuned for the old model's scores is forgotten.
-- parameters: tid, coll, space, max_tokens integer; absolute_weight, no_answer, unrelated real; calibrated boolean
-- placeholders: vectors, windows, of the new space
-- columns:    none
with
aligned as (
    update tadori.{vectors} v
    set audience = c.audience
    from tadori.chunk c
    where v.tid = %(tid)s and v.coll = %(coll)s and c.tid = v.tid and c.chunk = v.chunk and c.audience <> v.audience
),
windows as (
    update tadori.{windows} w
    set audience = c.audience
    from tadori.chunk c
    where w.tid = %(tid)s and w.coll = %(coll)s and c.tid = w.tid and c.chunk = w.chunk and c.audience <> w.audience
)
update tadori.collection k
set space = %(space)s, max_tokens = %(max_tokens)s, absolute_weight = %(absolute_weight)s, no_answer = %(no_answer)s,
    unrelated = %(unrelated)s, calibrated = %(calibrated)s, ranking = '{{}}', generation = k.generation + 1
where k.tid = %(tid)s and k.coll = %(coll)s
