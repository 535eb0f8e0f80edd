-- Compares everything that is stored twice about one collection, for speed, with what it was made from; reads the whole collection.
-- parameters: tid, coll, max_count integer   max_count: the largest that tf and dl hold
-- placeholders: vectors, windows
-- columns:    difference text; no row means that all agree
with
posted as materialized (
    select p.chunk, array_agg(p.term order by p.term) as terms, sum(p.tf) as words, bool_or(p.tf = %(max_count)s) as clamped,
           min(p.dl) as least_dl, max(p.dl) as most_dl, min(p.audience) as least_audience, max(p.audience) as most_audience
    from tadori.posting p
    where p.tid = %(tid)s and p.coll = %(coll)s
    group by p.chunk
),
counted as materialized (
    select p.term, count(*) as df from tadori.posting p where p.tid = %(tid)s and p.coll = %(coll)s group by p.term
),
chunks as materialized (
    select c.*, x.audience as text_audience, substr(x.body, c.char_start + 1, c.char_end - c.char_start) as slice,
           (select coalesce(array_agg(t.term order by t.term), '{{}}') from unnest(c.terms) as t (term)) as sorted_terms
    from tadori.chunk c
    left join tadori.content x on x.tid = c.tid and x.coll = c.coll and x.content = c.content
    where c.tid = %(tid)s and c.coll = %(coll)s
),
windowed as materialized (
    select w.chunk, count(*) as windows, max(w.place) as last, array_agg(distinct w.coll order by w.coll) as collections,
           array_agg(distinct w.audience order by w.audience) as audiences
    from tadori.{windows} w
    where w.tid = %(tid)s and (w.coll = %(coll)s or w.chunk in (select c.chunk from chunks c))
    group by w.chunk
),
owned as materialized (
    select x.content, x.content_hash, x.audience, a.readers, count(d.document) as documents,
           (select array_agg(distinct r.reader collate "C" order by r.reader collate "C")
            from tadori.document o
            join tadori.audience b on b.tid = o.tid and b.audience = o.audience
            cross join unnest(b.readers) as r (reader)
            where o.tid = %(tid)s and o.coll = %(coll)s and o.content = x.content) as union_of_readers
    from tadori.content x
    left join tadori.document d on d.tid = x.tid and d.coll = x.coll and d.content = x.content
    left join tadori.audience a on a.tid = x.tid and a.audience = x.audience
    where x.tid = %(tid)s and x.coll = %(coll)s
    group by x.content, x.content_hash, x.audience, a.readers
)
select format('chunk %%s: its list of words is not that of its postings', c.id)
from chunks c left join posted p on p.chunk = c.chunk
where c.sorted_terms <> coalesce(p.terms, '{{}}')
union all
select format('chunk %%s: its length is %%s, its postings count %%s words', c.id, c.length, coalesce(p.words, 0))
from chunks c left join posted p on p.chunk = c.chunk
where c.length <> coalesce(p.words, 0) and not coalesce(p.clamped, false)
union all
select format('chunk %%s: its length is %%s, its postings say %%s to %%s', c.id, c.length, p.least_dl, p.most_dl)
from chunks c join posted p on p.chunk = c.chunk
where (p.least_dl, p.most_dl) <> (least(c.length, %(max_count)s), least(c.length, %(max_count)s))
union all
select format('chunk %%s: it has audience %%s, its text %%s, its postings %%s to %%s', c.id, c.audience, c.text_audience, p.least_audience, p.most_audience)
from chunks c left join posted p on p.chunk = c.chunk
where c.audience is distinct from c.text_audience
   or (coalesce(p.least_audience, c.audience), coalesce(p.most_audience, c.audience)) <> (c.audience, c.audience)
union all
select format('chunk %%s: its text is not what stands at %%s to %%s', c.id, c.char_start, c.char_end)
from chunks c
where c.slice is distinct from c.body
union all
select format('chunk %%s: it has no vector', c.id)
from chunks c left join tadori.{vectors} v on v.tid = c.tid and v.chunk = c.chunk
where v.chunk is null
union all
select format('chunk %%s: its vector has collection %%s and audience %%s, not %%s and %%s', c.id, v.coll, v.audience, c.coll, c.audience)
from chunks c join tadori.{vectors} v on v.tid = c.tid and v.chunk = c.chunk
where (v.coll, v.audience) <> (c.coll, c.audience)
union all
select format('vector of chunk number %%s: there is no such chunk in the collection', v.chunk)
from tadori.{vectors} v
where v.tid = %(tid)s and v.coll = %(coll)s and not exists (select from chunks c where c.chunk = v.chunk)
union all
select format('chunk %%s: its words in order are not its list of words, or %%s where its length is %%s', c.id, cardinality(c.words), c.length)
from chunks c
where c.words <> '{{}}' and (
    cardinality(c.words) <> c.length
    or c.sorted_terms <> (select array_agg(distinct t.term order by t.term) from unnest(c.words) as t (term))
)
union all
select format('chunk %%s: its windows have collections %%s and audiences %%s, not %%s and %%s', c.id, w.collections, w.audiences, c.coll, c.audience)
from chunks c join windowed w on w.chunk = c.chunk
where (w.collections, w.audiences) <> (array[c.coll], array[c.audience])
union all
select format('chunk %%s: it has %%s windows, and the last is number %%s', c.id, w.windows, w.last)
from chunks c join windowed w on w.chunk = c.chunk
where w.windows < 2 or w.last <> w.windows - 1
union all
select format('windows of chunk number %%s: there is no such chunk in the collection', w.chunk)
from windowed w
where not exists (select from chunks c where c.chunk = w.chunk)
union all
select format('postings of chunk number %%s: there is no such chunk in the collection', p.chunk)
from posted p
where not exists (select from chunks c where c.chunk = p.chunk)
union all
select format('word %%L: %%s chunks are counted, %%s hold it', t.word, t.df, coalesce(n.df, 0))
from tadori.term t left join counted n on n.term = t.term
where t.tid = %(tid)s and t.coll = %(coll)s and t.df <> coalesce(n.df, 0)
union all
select format('word %%L: it is kept although no chunk holds it', t.word)
from tadori.term t
where t.tid = %(tid)s and t.coll = %(coll)s and t.df = 0
union all
select format('postings of word number %%s: there is no such word in the collection', n.term)
from counted n
where not exists (select from tadori.term t where t.tid = %(tid)s and t.coll = %(coll)s and t.term = n.term)
union all
select format('collection: %%s chunks of %%s words are counted, there are %%s of %%s', k.chunk_count, k.token_count, n.chunks, n.words)
from tadori.collection k
cross join (select count(*) as chunks, coalesce(sum(c.length), 0) as words from chunks c) n
where k.tid = %(tid)s and k.coll = %(coll)s and (k.chunk_count, k.token_count) <> (n.chunks, n.words)
union all
select format('text %%s: no document has it', o.content_hash)
from owned o
where o.documents = 0
union all
select format('text %%s: its readers are %%s, those of its documents together %%s', o.content_hash, o.readers, o.union_of_readers)
from owned o
where o.documents > 0 and o.readers is distinct from o.union_of_readers
union all
select format('document %%L: its hash is %%s, that of its text %%s', d.source, d.content_hash, o.content_hash)
from tadori.document d left join owned o on o.content = d.content
where d.tid = %(tid)s and d.coll = %(coll)s and d.content_hash is distinct from o.content_hash
union all
select format('document %%L: its labels are not those of its metadata and its readers', d.source)
from tadori.document d
where d.tid = %(tid)s and d.coll = %(coll)s
  and array(
          select (l.label, l.audience, l.content) from tadori.document_label l
          where l.tid = d.tid and l.coll = d.coll and l.document = d.document order by l.label
      ) is distinct from array(select (n.label, d.audience, d.content) from tadori.labels_of(d.metadata) as n (label) order by n.label)
