-- The signs of one embedding space's vectors around each collection's mean, and their index. Run as the owner by spaces.py, for index kind binary.
-- A collection has rows here once its centre is known (centre_vectors.sql). From then on the triggers keep them right, whatever writes the vectors.
-- Placeholders: space, vector_table, bits_table, bits (the type with its dimensions), and the names of the index and the two functions.
-- Result: none.
create table tadori.{bits_table} (
    tid       integer not null,
    coll      integer not null,
    chunk     integer not null,
    audience  integer not null,
    code      {bits} not null,
    primary key (tid, chunk),
    foreign key (tid, chunk) references tadori.{vector_table} on delete cascade
);
alter table tadori.{bits_table} alter column code set storage plain;
create index {vector_index} on tadori.{bits_table} using hnsw (code bit_hamming_ops) with (m = 16, ef_construction = 64);

alter table tadori.{bits_table} enable row level security;
alter table tadori.{bits_table} force row level security;
create policy readable on tadori.{bits_table} to tadori_app
    using (tid = (select tadori.current_tid()) and audience = any ((select tadori.visible_audiences())::integer[]))
    with check (tid = (select tadori.current_tid()) and audience = any ((select tadori.visible_audiences())::integer[]));
grant select, insert, update, delete on tadori.{bits_table} to tadori_app;

create function tadori.{encode}() returns trigger
language plpgsql as $$
begin
    insert into tadori.{bits_table} (tid, coll, chunk, audience, code)
    select a.tid, a.coll, a.chunk, a.audience, binary_quantize(a.embedding::vector - c.centre::vector)
    from added a
    join tadori.collection c on c.tid = a.tid and c.coll = a.coll and c.space = {space} and c.centre is not null;
    return null;
end
$$;
create trigger encode after insert on tadori.{vector_table}
    referencing new table as added for each statement execute function tadori.{encode}();

create function tadori.{follow}() returns trigger
language plpgsql as $$
begin
    update tadori.{bits_table} b
    set audience = m.audience, code = binary_quantize(m.embedding::vector - c.centre::vector)
    from moved m
    join tadori.collection c on c.tid = m.tid and c.coll = m.coll and c.space = {space} and c.centre is not null
    where b.tid = m.tid and b.chunk = m.chunk;
    return null;
end
$$;
create trigger follow after update on tadori.{vector_table}
    referencing new table as moved for each statement execute function tadori.{follow}();
