-- Adds a collection to the transaction's tenant; where another transaction was first, nothing happens.
-- parameters: name, analyser text; space, max_tokens integer; no_answer, absolute_weight, unrelated real; calibrated boolean
-- columns:    none
insert into tadori.collection (tid, name, space, analyser, no_answer, max_tokens, absolute_weight, unrelated, calibrated)
select tadori.current_tid(), %(name)s, %(space)s, %(analyser)s, %(no_answer)s, %(max_tokens)s, %(absolute_weight)s,
       %(unrelated)s, %(calibrated)s
on conflict (tid, name) do nothing
