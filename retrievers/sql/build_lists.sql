-- Builds an IVFFlat index over the rows that a space has now. Run as the owner by indexing.py, outside any transaction: nobody is held up.
-- Placeholders: vector_table, vector_index, operators, lists. Result: none.
create index concurrently {vector_index} on tadori.{vector_table} using ivfflat (embedding {operators}) with (lists = {lists})
