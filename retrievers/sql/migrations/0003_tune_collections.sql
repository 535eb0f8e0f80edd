-- Lets each collection keep how its candidates are scored, and each embedding space how its vectors are indexed.

alter table tadori.collection add column ranking jsonb not null default '{}';
comment on column tadori.collection.ranking is 'what `tadori tune` stored, by the fields of retrievers.types.Ranking; a field that is absent has its default';

alter table tadori.embedding_space
    add column index_kind text not null default 'hnsw' check (index_kind in ('hnsw', 'ivfflat', 'binary', 'exact')),
    drop constraint embedding_space_model_dims_column_type_key,
    add unique (model, dims, column_type, index_kind);
comment on column tadori.embedding_space.index_kind is 'binary: one bit a dimension around the collection''s mean, re-scored with the stored vectors; exact: no index';

alter table tadori.collection add column centre real[];
comment on column tadori.collection.centre is 'the mean of the vectors, which index kind binary subtracts before it takes the signs; null for the other kinds';
