-- The approximate index of one embedding space. Run as the owner by spaces.py, where the dimensions allow it.
-- Placeholders: vector_table, vector_index, operators. Result: none.
create index {vector_index} on tadori.{vector_table} using hnsw (embedding {operators}) with (m = 16, ef_construction = 64);
