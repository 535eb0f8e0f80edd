-- Ties a collection's centre to the vectors it is the mean of: it goes when the collection moves to another embedding space.

alter table tadori.collection add column centred_chunks bigint check (centred_chunks > 0);
comment on column tadori.collection.centred_chunks is 'how many chunks the centre is the mean of; null where there is none';

create function tadori.forget_centre() returns trigger
language plpgsql as $$
begin
    new.centre := null;
    new.centred_chunks := null;
    return new;
end
$$;

create trigger centre_belongs_to_space before update of space on tadori.collection
    for each row when (old.space is distinct from new.space) execute function tadori.forget_centre();
