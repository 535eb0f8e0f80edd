-- Makes what the migrations stand on: the schema and the table of applied migrations. Run as the owner, under the lock of migrate.py.
-- Parameters: none. Result: none.
create schema if not exists tadori;

create table if not exists tadori.migration (
    version integer primary key,
    name    text not null,
    sha256  text not null,
    applied timestamptz not null default now()
);
alter table tadori.migration enable row level security;
alter table tadori.migration force row level security;
revoke all on tadori.migration from tadori_app;
drop policy if exists kept_by_owner on tadori.migration;
create policy kept_by_owner on tadori.migration using (current_user <> 'tadori_app') with check (current_user <> 'tadori_app');
