-- Puts row-level security on every table of the threads that lacks it, whatever the installed version of langgraph has made.
-- Run as the owner by threads.py.
-- Parameters: none. Result: none. A thread's id starts with its tenant and a slash, which no tenant's name contains.
do $$
declare
    relation record;
    rule     text;
begin
    for relation in
        select c.relname as name,
               exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'thread_id' and not a.attisdropped) as of_a_thread
        from pg_class c
        where c.relnamespace = 'tadori_threads'::regnamespace and c.relkind in ('r', 'p')
          -- A table in use is not touched again: changing its policies would lock it against the conversations going on.
          and not (c.relrowsecurity and c.relforcerowsecurity)
    loop
        rule := format('alter table tadori_threads.%1$I enable row level security; alter table tadori_threads.%1$I force row level security;', relation.name);
        rule := rule || format('drop policy if exists kept_by_owner on tadori_threads.%1$I; drop policy if exists own_tenant on tadori_threads.%1$I;', relation.name);
        if relation.of_a_thread then
            rule := rule || format(
                'create policy own_tenant on tadori_threads.%1$I to tadori_app '
                'using (split_part(thread_id, ''/'', 1) = nullif(current_setting(''tadori.tenant'', true), '''')) '
                'with check (split_part(thread_id, ''/'', 1) = nullif(current_setting(''tadori.tenant'', true), '''')); '
                'grant select, insert, update, delete on tadori_threads.%1$I to tadori_app;', relation.name);
        else
            rule := rule || format(
                'create policy kept_by_owner on tadori_threads.%1$I using (current_user <> ''tadori_app'') with check (current_user <> ''tadori_app''); '
                'revoke all on tadori_threads.%1$I from tadori_app;', relation.name);
        end if;
        execute rule;
    end loop;
end
$$;
grant usage on schema tadori_threads to tadori_app;
