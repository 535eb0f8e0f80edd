-- The table of one embedding space. Run as the owner by spaces.py, once per space.
-- Placeholders: vector_table, type (with its dimensions), storage, and the name of its index. Result: none.
create table tadori.{vector_table} (
    tid       integer not null,
    coll      integer not null,
    chunk     integer not null,
    audience  integer not null,
    embedding {type} not null,
    foreign key (tid, chunk) references tadori.chunk on delete cascade
);
-- A vector is always read whole and does not compress: keeping it in the row saves a second look-up.
alter table tadori.{vector_table} alter column embedding set storage {storage};
create index {audience_index} on tadori.{vector_table} (tid, coll, audience);
alter table tadori.{vector_table} add primary key (tid, chunk);  -- last, so that an empty table's first plan takes it

alter table tadori.{vector_table} enable row level security;
alter table tadori.{vector_table} force row level security;
create policy readable on tadori.{vector_table} to tadori_app
    using (tid = (select tadori.current_tid()) and audience = any ((select tadori.visible_audiences())::integer[]))
    with check (tid = (select tadori.current_tid()) and audience = any ((select tadori.visible_audiences())::integer[]));
grant select, insert, update, delete on tadori.{vector_table} to tadori_app;
