-- Keeps embeddings that are not kept yet. In the order of their hashes, so that two writers of the same texts wait in one order.
-- A tenant that has stored nothing has no cache.
-- parameters: model, side text; hashes, embeddings bytea[]
-- columns:    none
insert into tadori.embedding_cache (tid, model, side, text_hash, embedding)
select tadori.current_tid(), %(model)s, %(side)s, g.text_hash, g.embedding
from unnest(%(hashes)s::bytea[], %(embeddings)s::bytea[]) as g (text_hash, embedding)
where tadori.current_tid() is not null
order by g.text_hash
on conflict (tid, model, side, text_hash) do nothing
