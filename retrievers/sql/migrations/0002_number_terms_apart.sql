-- Makes the index by term number start with the number, so that it never looks as good as the primary key for finding a word.
-- With (tid, coll, term) both cost the same as long as there are no statistics, and finding a word read all words of the collection.
drop index tadori.term_number;
create unique index term_number on tadori.term (tid, term) include (coll, df);
