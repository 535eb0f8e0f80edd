-- Looks embeddings up by the hash of their text, and notes once a day that they were used. One of other dimensions is none.
-- parameters: model, side text; dims integer; hashes bytea[]
-- columns:    text_hash, embedding
with
touched as (
    update tadori.embedding_cache c
    set used = now()
    from (
        select o.text_hash
        from tadori.embedding_cache o
        where o.tid = tadori.current_tid() and o.model = %(model)s and o.side = %(side)s and o.text_hash = any (%(hashes)s::bytea[])
          and o.used < now() - interval '1 day'
        for update skip locked
    ) s
    where c.tid = tadori.current_tid() and c.model = %(model)s and c.side = %(side)s and c.text_hash = s.text_hash
)
select c.text_hash, c.embedding
from tadori.embedding_cache c
where c.tid = tadori.current_tid() and c.model = %(model)s and c.side = %(side)s and c.text_hash = any (%(hashes)s::bytea[])
  and octet_length(c.embedding) = 4 * %(dims)s
