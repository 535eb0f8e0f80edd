-- Adds model calls to turns of the transaction's tenant.
-- parameters: calls jsonb  a list of {turn, call, step, model, failed, input_tokens, output_tokens, cost_usd, ms}
-- columns:    none
insert into tadori.ledger (tid, turn, call, step, model, failed, input_tokens, output_tokens, cost_usd, ms)
select tadori.current_tid(), c.turn, c.call, c.step, c.model, c.failed, c.input_tokens, c.output_tokens, c.cost_usd, c.ms
from jsonb_to_recordset(%(calls)s::jsonb) as c (
    turn uuid, call smallint, step text, model text, failed boolean, input_tokens integer, output_tokens integer,
    cost_usd double precision, ms real
)
on conflict (tid, turn, call) do nothing
