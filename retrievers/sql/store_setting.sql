-- Gives a collection another way of ranking and another threshold, unless somebody changed them in between.
-- parameters: tid, coll integer; fusion, old_fusion text; weights, old_weights real[]; no_answer, old_no_answer real; ranking jsonb
-- columns:    none
update tadori.collection k
set fusion = %(fusion)s, weights = %(weights)s::real[], no_answer = %(no_answer)s, ranking = %(ranking)s
where k.tid = %(tid)s and k.coll = %(coll)s
  and k.fusion = %(old_fusion)s and k.weights is not distinct from %(old_weights)s::real[] and k.no_answer = %(old_no_answer)s::real
