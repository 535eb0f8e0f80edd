-- Keeps what the chunks say of entities: names, relations, spellings that mean the same, and which extractor has read which chunk.
-- An entity has no row of its own, its key is what the rows share: with a chunk goes what only it contributed. Each row carries its
-- chunk's audience, so that no reader meets an entity of which only hidden chunks speak.

create table tadori.mention (
    tid      integer  not null,
    coll     integer  not null,
    key      text     not null,
    chunk    integer  not null,
    name     text     not null,
    kind     text     not null,
    placed   text     not null check (placed in ('title', 'heading', 'text')),
    count    smallint not null check (count > 0),
    start    integer  not null,
    "end"    integer  not null,
    audience integer  not null,
    -- Index-only both ways, as posting is: from an entity to its chunks, and from a chunk to its entities.
    primary key (tid, coll, key, chunk) include (audience, placed),
    foreign key (tid, chunk) references tadori.chunk on delete cascade
);
comment on column tadori.mention.name is 'its first spelling in the chunk, which stands at start to "end"; 0 and 0 in a title or heading';

create table tadori.relation (
    tid      integer not null,
    coll     integer not null,
    head     text    not null,
    tail     text    not null,
    kind     text    not null,
    chunk    integer not null,
    start    integer not null,
    "end"    integer not null,
    weight   real    not null check (weight > 0),
    audience integer not null,
    primary key (tid, coll, head, tail, kind, chunk),
    foreign key (tid, chunk) references tadori.chunk on delete cascade
);
create index relation_tail on tadori.relation (tid, coll, tail);

create table tadori.alias (
    tid      integer not null,
    coll     integer not null,
    key      text    not null,
    same_as  text    not null,
    chunk    integer not null,
    start    integer not null,
    "end"    integer not null,
    audience integer not null,
    primary key (tid, coll, key, same_as, chunk),
    foreign key (tid, chunk) references tadori.chunk on delete cascade
);
create index alias_same_as on tadori.alias (tid, coll, same_as);

create table tadori.extraction (
    tid       integer not null,
    coll      integer not null,
    chunk     integer not null,
    extractor text    not null,
    title     text    not null,
    failed    text,
    audience  integer not null,
    primary key (tid, chunk),
    foreign key (tid, chunk) references tadori.chunk on delete cascade
);
comment on column tadori.extraction.title is 'the title it was read with: with another one the chunk is read again';
comment on column tadori.extraction.failed is 'why the extractor could read no more of the chunk; null where it read it whole';

-- The keys that a deleted chunk is looked up by, last: see content in 0001. With coll before chunk a cascade could not use them.
create index mention_chunk on tadori.mention (tid, chunk, key) include (coll, audience, placed);
create index relation_chunk on tadori.relation (tid, chunk);
create index alias_chunk on tadori.alias (tid, chunk);

create table tadori.entity_choice (
    tid   integer not null,
    coll  integer not null,
    key   text    not null,
    other text    not null,
    same  boolean not null,
    made  timestamptz not null default now(),
    primary key (tid, coll, key, other),
    foreign key (tid, coll) references tadori.collection on delete cascade,
    check (key collate "C" < other collate "C")
);
create index entity_choice_other on tadori.entity_choice (tid, coll, other);
comment on table tadori.entity_choice is 'what a person has decided: two keys are one entity, or are not; it outweighs what texts say';

do $$
declare
    name text;
begin
    foreach name in array array['mention', 'relation', 'alias', 'extraction', 'entity_choice']
    loop
        execute format('alter table tadori.%I enable row level security', name);
        execute format('alter table tadori.%I force row level security', name);
        execute format('grant select, insert, update, delete on tadori.%I to tadori_app', name);
    end loop;
    foreach name in array array['mention', 'relation', 'alias', 'extraction']
    loop
        execute format(
            'create policy readable on tadori.%I to tadori_app '
            'using (tid = (select tadori.current_tid()) and audience = any ((select tadori.visible_audiences())::integer[])) '
            'with check (tid = (select tadori.current_tid()) and audience = any ((select tadori.visible_audiences())::integer[]))', name);
    end loop;
end
$$;
create policy own_tenant on tadori.entity_choice to tadori_app
    using (tid = (select tadori.current_tid())) with check (tid = (select tadori.current_tid()));
