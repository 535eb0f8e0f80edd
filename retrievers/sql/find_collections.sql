-- Lists the tenant's collections with the embedding space of each.
-- parameters: name text   null for all
-- columns:    tid, coll, name, model, dims, column_type, index_kind, max_tokens, absolute_weight, no_answer, unrelated, calibrated, space, analyser, fusion,
--             weights, ranking, chunk_count, token_count; by name
select c.tid, c.coll, c.name, s.model, s.dims, s.column_type, s.index_kind, c.max_tokens, c.absolute_weight, c.no_answer, c.unrelated, c.calibrated, c.space,
       c.analyser, c.fusion, c.weights, c.ranking, c.chunk_count, c.token_count
from tadori.collection c
join tadori.embedding_space s on s.space = c.space
where %(name)s::text is null or c.name = %(name)s
order by c.name collate "C"
