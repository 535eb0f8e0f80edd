-- Keeps what each turn did and what each model call cost: numbers, and the names of steps and models; no text of anybody's.

create table tadori.turn (
    tid    integer     not null references tadori.tenant on delete cascade,
    turn   uuid        not null,
    at     timestamptz not null,
    status text        not null,
    ms     real        not null,
    primary key (tid, turn)
);
create index turn_at on tadori.turn (tid, at);

create table tadori.ledger (
    tid           integer  not null,
    turn          uuid     not null,
    call          smallint not null,
    step          text     not null,
    model         text     not null,
    failed        boolean  not null,
    input_tokens  integer  not null,
    output_tokens integer  not null,
    cost_usd      double precision,
    ms            real     not null,
    primary key (tid, turn, call),
    foreign key (tid, turn) references tadori.turn on delete cascade
);
comment on column tadori.ledger.cost_usd is 'by the price that was set at that moment; null where none was';

do $$
declare
    name text;
begin
    foreach name in array array['turn', 'ledger']
    loop
        execute format('alter table tadori.%I enable row level security', name);
        execute format('alter table tadori.%I force row level security', name);
        execute format('create policy own_tenant on tadori.%I to tadori_app using (tid = (select tadori.current_tid())) with check (tid = (select tadori.current_tid()))', name);
        -- A ledger is added to, and nothing else.
        execute format('grant select, insert on tadori.%I to tadori_app', name);
    end loop;
end
$$;
