-- Keeps embeddings that are not kept yet, and removes a few that nobody has used for long. In the order of their hashes, so that two
-- writers of the same texts wait in one order; what another writer is removing is passed over. A tenant that has stored nothing has no cache.
-- parameters: model, side text; hashes, embeddings bytea[]; kept_days, most integer   most: how many may be removed
-- columns:    none
with
removed as (
    delete from tadori.embedding_cache c
    using (
        select o.tid, o.model, o.side, o.text_hash
        from tadori.embedding_cache o
        where o.tid = tadori.current_tid() and o.used < now() - make_interval(days => %(kept_days)s)
          -- One that is written again stays: a row cannot be removed and written by one statement.
          and not (o.model = %(model)s and o.side = %(side)s and o.text_hash = any (%(hashes)s::bytea[]))
        order by o.used
        limit %(most)s
        for update skip locked
    ) s
    where c.tid = s.tid and c.model = s.model and c.side = s.side and c.text_hash = s.text_hash
)
insert into tadori.embedding_cache (tid, model, side, text_hash, embedding)
select tadori.current_tid(), %(model)s, %(side)s, g.text_hash, g.embedding
from unnest(%(hashes)s::bytea[], %(embeddings)s::bytea[]) as g (text_hash, embedding)
where tadori.current_tid() is not null
order by g.text_hash
-- A model behind an address may have been exchanged for one of other dimensions.
on conflict (tid, model, side, text_hash) do update
set embedding = excluded.embedding, used = now()
where octet_length(embedding_cache.embedding) <> octet_length(excluded.embedding)
