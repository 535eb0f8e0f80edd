-- Adds the transaction's tenant where it is new.
-- parameters: name text
-- columns:    none
insert into tadori.tenant (name)
select %(name)s
where tadori.current_tid() is null
on conflict (name) do nothing
