-- Lets a filter go from a label to its chunks by two indexes alone: each step read a row of its own before (4x slower, measured).

alter table tadori.document_label add column content integer;

alter table tadori.document no force row level security;
alter table tadori.document_label no force row level security;
update tadori.document_label l
set content = d.content
from tadori.document d
where d.tid = l.tid and d.coll = l.coll and d.document = l.document;
alter table tadori.document_label force row level security;
alter table tadori.document force row level security;

alter table tadori.document_label drop constraint document_label_pkey;
alter table tadori.document_label add primary key (tid, coll, label, document) include (audience, content);
create index chunk_content on tadori.chunk (tid, coll, content) include (chunk, audience);
analyze tadori.document_label;

create or replace function tadori.label_added() returns trigger
language plpgsql as $$
begin
    insert into tadori.document_label (tid, coll, label, document, audience, content)
    select a.tid, a.coll, l.label, a.document, a.audience, a.content
    from added a
    cross join lateral tadori.labels_of(a.metadata) as l (label);
    return null;
end
$$;

create or replace function tadori.label_changed() returns trigger
language plpgsql as $$
begin
    delete from tadori.document_label l
    using changed n
    join before o on o.tid = n.tid and o.coll = n.coll and o.document = n.document
    where (o.metadata, o.audience, o.content) is distinct from (n.metadata, n.audience, n.content)
      and l.tid = n.tid and l.coll = n.coll and l.document = n.document;
    insert into tadori.document_label (tid, coll, label, document, audience, content)
    select n.tid, n.coll, l.label, n.document, n.audience, n.content
    from changed n
    join before o on o.tid = n.tid and o.coll = n.coll and o.document = n.document
    cross join lateral tadori.labels_of(n.metadata) as l (label)
    where (o.metadata, o.audience, o.content) is distinct from (n.metadata, n.audience, n.content);
    return null;
end
$$;
