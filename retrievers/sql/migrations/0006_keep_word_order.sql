-- Keeps the order of a chunk's words, so that words which stand together count for more; and for each embedding space that is there
-- the table of windows that create_windows.sql makes for new ones.

alter table tadori.chunk add column words integer[] not null default '{}';
comment on column tadori.chunk.words is 'the term numbers of its words in order, repeats kept; empty where the order was not kept';

do $$
declare
    known record;
    name  text;
begin
    for known in select space, column_type, dims from tadori.embedding_space
    loop
        name := 'vector_' || known.space || '_windows';
        execute format(
            'create table tadori.%I (tid integer not null, coll integer not null, chunk integer not null, place smallint not null, '
            'audience integer not null, embedding %s(%s) not null, primary key (tid, chunk, place), '
            'foreign key (tid, chunk) references tadori.%I on delete cascade)',
            name, known.column_type, known.dims, 'vector_' || known.space);
        execute format('alter table tadori.%I alter column embedding set storage %s', name,
            case when known.dims <= 2000 or (known.column_type = 'halfvec' and known.dims <= 4000) then 'plain' else 'external' end);
        execute format('alter table tadori.%I enable row level security', name);
        execute format('alter table tadori.%I force row level security', name);
        execute format(
            'create policy readable on tadori.%I to tadori_app '
            'using (tid = (select tadori.current_tid()) and audience = any ((select tadori.visible_audiences())::integer[])) '
            'with check (tid = (select tadori.current_tid()) and audience = any ((select tadori.visible_audiences())::integer[]))', name);
        execute format('grant select, insert, update, delete on tadori.%I to tadori_app', name);
    end loop;
end
$$;
