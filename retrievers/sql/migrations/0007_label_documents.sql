-- Lets a filter on metadata find its documents by key. Policies keep an index on jsonb from being asked (its operators are not
-- leakproof), so that each filtered search read the metadata of every document.

-- A pair of key and value as a number, the same on every server: an index entry has room for no long value.
create function tadori.label_number(key text, value text) returns bigint
language sql immutable strict parallel safe
return ('x' || left(encode(sha256(convert_to(key || e'\x01' || value, 'UTF8')), 'hex'), 16))::bit(64)::bigint;

create table tadori.document_label (
    tid      integer not null,
    coll     integer not null,
    label    bigint  not null,
    document integer not null,
    audience integer not null,
    primary key (tid, coll, label, document) include (audience),
    foreign key (tid, coll, document) references tadori.document on delete cascade
);
create index document_label_document on tadori.document_label (tid, coll, document);
comment on table tadori.document_label is 'which documents may have a key with a value, or with a list that holds it; what the metadata says is compared again';

alter table tadori.document_label enable row level security;
alter table tadori.document_label force row level security;
create policy readable on tadori.document_label to tadori_app
    using (tid = (select tadori.current_tid()) and audience = any ((select tadori.visible_audiences())::integer[]))
    with check (tid = (select tadori.current_tid()) and audience = any ((select tadori.visible_audiences())::integer[]));
grant select, insert, update, delete on tadori.document_label to tadori_app;

create function tadori.labels_of(metadata jsonb) returns setof bigint
language sql immutable strict parallel safe
begin atomic
    select distinct tadori.label_number(m.key, v.value)
    from jsonb_each(metadata) as m
    cross join lateral (
        select e.value from jsonb_array_elements_text(case jsonb_typeof(m.value) when 'array' then m.value else '[]' end) as e
        union all
        select m.value #>> '{}' where jsonb_typeof(m.value) <> 'array'
    ) v
    where v.value is not null;
end;

-- The triggers keep the labels right, whatever writes the documents.
create function tadori.label_added() returns trigger
language plpgsql as $$
begin
    insert into tadori.document_label (tid, coll, label, document, audience)
    select a.tid, a.coll, l.label, a.document, a.audience
    from added a
    cross join lateral tadori.labels_of(a.metadata) as l (label);
    return null;
end
$$;
create trigger label_added after insert on tadori.document
    referencing new table as added for each statement execute function tadori.label_added();

create function tadori.label_changed() returns trigger
language plpgsql as $$
begin
    delete from tadori.document_label l
    using changed n
    join before o on o.tid = n.tid and o.coll = n.coll and o.document = n.document
    where (o.metadata, o.audience) is distinct from (n.metadata, n.audience)
      and l.tid = n.tid and l.coll = n.coll and l.document = n.document;
    insert into tadori.document_label (tid, coll, label, document, audience)
    select n.tid, n.coll, l.label, n.document, n.audience
    from changed n
    join before o on o.tid = n.tid and o.coll = n.coll and o.document = n.document
    cross join lateral tadori.labels_of(n.metadata) as l (label)
    where (o.metadata, o.audience) is distinct from (n.metadata, n.audience);
    return null;
end
$$;
create trigger label_changed after update on tadori.document
    referencing old table as before new table as changed for each statement execute function tadori.label_changed();

-- What is stored already. Forced, the policies would hide the rows from an owner who is no superuser.
alter table tadori.document no force row level security;
alter table tadori.document_label no force row level security;
insert into tadori.document_label (tid, coll, label, document, audience)
select d.tid, d.coll, l.label, d.document, d.audience
from tadori.document d
cross join lateral tadori.labels_of(d.metadata) as l (label);
alter table tadori.document_label force row level security;
alter table tadori.document force row level security;
