-- The vectors of the windows that a chunk falls into, for chunks of more than one. Run as the owner by spaces.py, once per space.
-- They re-score what the chunks' own vectors found, and are read by key alone: no approximate index.
-- Placeholders: vector_table, window_table, type (with its dimensions), storage. Result: none.
create table tadori.{window_table} (
    tid       integer  not null,
    coll      integer  not null,
    chunk     integer  not null,
    place     smallint not null,
    audience  integer  not null,
    embedding {type} not null,
    primary key (tid, chunk, place),
    foreign key (tid, chunk) references tadori.{vector_table} on delete cascade
);
alter table tadori.{window_table} alter column embedding set storage {storage};

alter table tadori.{window_table} enable row level security;
alter table tadori.{window_table} force row level security;
create policy readable on tadori.{window_table} to tadori_app
    using (tid = (select tadori.current_tid()) and audience = any ((select tadori.visible_audiences())::integer[]))
    with check (tid = (select tadori.current_tid()) and audience = any ((select tadori.visible_audiences())::integer[]));
grant select, insert, update, delete on tadori.{window_table} to tadori_app;
