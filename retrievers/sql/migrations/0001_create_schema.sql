-- Creates the whole store: tenants, collections, documents, chunks, the lexical index, audiences, caches.
-- Run as the owner, inside one transaction, by retrievers/store/migrate.py; the role tadori_app exists by then.
-- Every key starts with the tenant (tid). Row-level security is on and forced for every table; no setting means no row.

create extension if not exists vector;

-- who is asking ------------------------------------------------------------------------------------------------------

create table tadori.tenant (
    tid  integer generated always as identity primary key,
    name text not null unique
);

-- plpgsql keeps its plans for the session: a statement that meets ten policies calls these functions twenty times, 0.2 ms each otherwise.
create function tadori.current_tid() returns integer
language plpgsql stable as $$
begin
    return (select t.tid from tadori.tenant t where t.name = nullif(current_setting('tadori.tenant', true), ''));
end
$$;

create function tadori.current_principals() returns text[]
language sql stable
return coalesce(nullif(current_setting('tadori.principals', true), ''), '{}')::text[];

-- One row for each set of readers that any document of the tenant has; rows are small in number and never change.
create table tadori.audience (
    tid      integer not null references tadori.tenant on delete cascade,
    audience integer generated always as identity,
    readers  text[]  not null check (readers <> '{}'),
    primary key (tid, audience),
    unique (tid, readers)
);

create function tadori.visible_audiences() returns integer[]
language plpgsql stable as $$
begin
    return coalesce(
        (select array_agg(a.audience) from tadori.audience a
         where a.tid = tadori.current_tid()
           and ('operator' = any (tadori.current_principals()) or a.readers && tadori.current_principals())),
        '{}');
end
$$;

-- embedding spaces: the same for all tenants, holding no content -------------------------------------------------------

create table tadori.embedding_space (
    space       smallint generated always as identity primary key,
    model       text     not null,
    dims        integer  not null check (dims between 1 and 16000),
    column_type text     not null check (column_type in ('halfvec', 'vector')),
    unique (model, dims, column_type)
);

-- documents --------------------------------------------------------------------------------------------------------------

create table tadori.collection (
    tid         integer  not null references tadori.tenant on delete cascade,
    coll        integer  generated always as identity,
    name        text     not null,
    space       smallint not null references tadori.embedding_space,
    analyser    text     not null,
    fusion      text     not null default 'absolute' check (fusion in ('absolute', 'rrf', 'weighted')),
    weights     real[]   check (array_length(weights, 1) = 2),
    no_answer   real     not null,
    max_tokens  integer  not null check (max_tokens > 0),
    absolute_weight real not null check (absolute_weight >= 0),
    generation  integer  not null default 1,
    chunk_count bigint   not null default 0 check (chunk_count >= 0),
    token_count bigint   not null default 0 check (token_count >= 0),
    created     timestamptz not null default now(),
    primary key (tid, coll),
    unique (tid, name)
);
comment on column tadori.collection.absolute_weight is 'with no_answer and max_tokens what must be known of the embedding model to search without loading it';
comment on column tadori.collection.token_count is 'sum of the chunks'' lengths in analysed words: the mean length of BM25 is token_count / chunk_count';

-- The text itself, once for any number of sources with the same bytes.
create table tadori.content (
    tid          integer not null,
    coll         integer not null,
    content      integer generated always as identity,
    content_hash text    not null,
    body         text    not null,
    audience     integer not null,
    unique (tid, coll, content_hash),
    foreign key (tid, coll) references tadori.collection on delete cascade,
    foreign key (tid, audience) references tadori.audience
);
-- On an empty table all indexes cost the same and the youngest wins; the plans of foreign keys are kept from then on. So the keys
-- they look up by come last: the other way round each check read the whole collection.
alter table tadori.content add primary key (tid, coll, content);
comment on column tadori.content.audience is 'the union of the readers of its documents; chunk, posting and vector rows carry the same value';

create table tadori.document (
    tid          integer not null,
    coll         integer not null,
    document     integer generated always as identity,
    source       text    not null,
    content      integer,
    content_hash text,
    title        text    not null default '',
    language     text    not null default 'und',
    content_type text    not null default 'text/plain',
    created      timestamptz,
    modified     timestamptz,
    ingested     timestamptz not null default now(),
    audience     integer not null,
    metadata     jsonb   not null default '{}',
    stages       jsonb   not null default '{}',
    primary key (tid, coll, document),
    unique (tid, coll, source),
    foreign key (tid, coll) references tadori.collection on delete cascade,
    foreign key (tid, coll, content) references tadori.content,
    foreign key (tid, audience) references tadori.audience
);
create index document_content on tadori.document (tid, coll, content);
comment on column tadori.document.content is 'null while nothing of it could be stored; a failed update keeps the version before';
comment on column tadori.document.stages is '{stage: {"status": "ok" | "failed", "reason"}} for load, chunk, embed, store';

create table tadori.chunk (
    tid          integer not null,
    coll         integer not null,
    chunk        integer generated always as identity,
    content      integer not null,
    id           text    not null,
    ordinal      integer not null,
    parent       integer,
    body         text    not null,
    context      text,
    heading_path text[]  not null default '{}',
    page         integer,
    char_start   integer not null,
    char_end     integer not null,
    token_count  integer not null,
    length       integer not null,
    terms        integer[] not null,
    content_type text    not null default 'text' check (content_type in ('text', 'table', 'code', 'image')),
    language     text    not null default 'und',
    origin       text    not null default 'person' check (origin in ('person', 'model', 'web')),
    audience     integer not null,
    metadata     jsonb   not null default '{}',
    unique (tid, coll, id),
    unique (tid, coll, content, ordinal),
    foreign key (tid, coll, content) references tadori.content on delete cascade
);
alter table tadori.chunk add primary key (tid, chunk);  -- last, as in tadori.content
comment on column tadori.chunk.terms is 'the term numbers of its postings: deleting by key instead of keeping an index on posting (tid, coll, chunk)';
comment on column tadori.chunk.length is 'analysed words, repeats counted: the length of BM25';

-- the lexical index -------------------------------------------------------------------------------------------------------

create table tadori.term (
    tid  integer not null,
    coll integer not null,
    term integer generated always as identity,
    word text    not null,
    df   integer not null check (df >= 0),
    primary key (tid, coll, word) include (term, df),
    foreign key (tid, coll) references tadori.collection on delete cascade
);
create unique index term_number on tadori.term (tid, coll, term) include (df);

-- Index-only: without the included columns every posting costs a heap visit (4x slower, measured).
create table tadori.posting (
    tid      integer  not null,
    coll     integer  not null,
    term     integer  not null,
    chunk    integer  not null,
    tf       smallint not null,
    dl       smallint not null,
    audience integer  not null,
    primary key (tid, coll, term, chunk) include (tf, dl, audience)
);

-- caches ------------------------------------------------------------------------------------------------------------------

create table tadori.embedding_cache (
    tid       integer not null references tadori.tenant on delete cascade,
    model     text    not null,
    side      text    not null check (side in ('query', 'passage')),
    text_hash bytea   not null,
    embedding bytea   not null,
    used      timestamptz not null default now(),
    primary key (tid, model, side, text_hash)
);
comment on column tadori.embedding_cache.embedding is 'float32, little-endian, unit length';

-- policies ----------------------------------------------------------------------------------------------------------------

do $$
declare
    name text;
begin
    foreach name in array array['tenant', 'audience', 'embedding_space', 'collection', 'content', 'document', 'chunk', 'term', 'posting', 'embedding_cache']
    loop
        execute format('alter table tadori.%I enable row level security', name);
        execute format('alter table tadori.%I force row level security', name);
    end loop;
    foreach name in array array['audience', 'collection', 'term', 'embedding_cache']
    loop
        execute format('create policy own_tenant on tadori.%I to tadori_app using (tid = (select tadori.current_tid())) with check (tid = (select tadori.current_tid()))', name);
    end loop;
    foreach name in array array['content', 'document', 'chunk', 'posting']
    loop
        execute format(
            'create policy readable on tadori.%I to tadori_app '
            'using (tid = (select tadori.current_tid()) and audience = any ((select tadori.visible_audiences())::integer[])) '
            'with check (tid = (select tadori.current_tid()) and audience = any ((select tadori.visible_audiences())::integer[]))', name);
    end loop;
end
$$;

create policy own_tenant on tadori.tenant to tadori_app
    using (name = nullif(current_setting('tadori.tenant', true), ''))
    with check (name = nullif(current_setting('tadori.tenant', true), ''));
create policy known_to_all on tadori.embedding_space for select to tadori_app
    using (nullif(current_setting('tadori.tenant', true), '') is not null);
-- Forced, so that it holds for the owner too: an owner without superuser rights must be let in to add a space.
create policy kept_by_owner on tadori.embedding_space using (current_user <> 'tadori_app') with check (current_user <> 'tadori_app');

grant usage on schema tadori to tadori_app;
grant select, insert, update, delete on all tables in schema tadori to tadori_app;
revoke insert, update, delete on tadori.embedding_space from tadori_app;
grant execute on all functions in schema tadori to tadori_app;
