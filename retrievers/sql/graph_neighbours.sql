-- What is nearest to an entity: by what texts say of the two, and by the chunks that hold both.
-- `offset 0` as in hybrid.sql.
-- parameters: tid, coll integer; keys text[]      the entity by all of its keys
--             most integer                        chunks, and relations of either direction, looked at
--             most_neighbours, most_relations, longest integer   neighbours, relations of each, characters of an evidence
-- columns:    key, name, kind: its most frequent spelling and kind; weight, passages: how many chunks hold both
--             relations jsonb: the strongest first; the nearest neighbour first, ties by key
with
held as materialized (
    select distinct m.chunk
    from tadori.mention m
    where m.tid = %(tid)s and m.coll = %(coll)s and m.key = any (%(keys)s::text[])
    order by m.chunk
    limit %(most)s
),
tied as materialized (
    (
        select r.tail as key, true as forward, r.kind, r.chunk, r.start, r."end", r.weight
        from tadori.relation r
        where r.tid = %(tid)s and r.coll = %(coll)s and r.head = any (%(keys)s::text[]) and r.tail <> all (%(keys)s::text[])
        order by r.weight desc, r.chunk, r.tail, r.kind
        limit %(most)s
    )
    union all
    (
        select r.head, false, r.kind, r.chunk, r.start, r."end", r.weight
        from tadori.relation r
        where r.tid = %(tid)s and r.coll = %(coll)s and r.tail = any (%(keys)s::text[]) and r.head <> all (%(keys)s::text[])
        order by r.weight desc, r.chunk, r.head, r.kind
        limit %(most)s
    )
),
shared as materialized (
    select m.key, count(*) as passages
    from held h
    cross join lateral (
        select m.key from tadori.mention m where m.tid = %(tid)s and m.coll = %(coll)s and m.chunk = h.chunk offset 0
    ) m
    where m.key <> all (%(keys)s::text[])
    group by m.key
),
near as materialized (
    select k.key, sum(k.weight) as weight, sum(k.passages) as passages
    from (
        select t.key, t.weight, 0 as passages from tied t
        union all
        select s.key, s.passages, s.passages from shared s
    ) k
    group by k.key
    order by weight desc, k.key
    limit %(most_neighbours)s
)
select n.key, s.name, s.kind, n.weight::double precision as weight, n.passages::integer as passages, coalesce(e.relations, '[]') as relations
from near n
cross join lateral (
    select (array_agg(h.name order by h.n desc, h.name collate "C"))[1] as name, mode() within group (order by h.kind) as kind
    from (
        select m.name, m.kind, sum(m.count) as n
        from (
            select m.name, m.kind, m.count
            from tadori.mention m
            where m.tid = %(tid)s and m.coll = %(coll)s and m.key = n.key
            order by m.chunk
            limit %(most)s
        ) m
        group by m.name, m.kind
    ) h
) s
left join lateral (
    select jsonb_agg(
               jsonb_build_object(
                   'kind', r.kind, 'forward', r.forward, 'document', r.source, 'title', r.title, 'id', r.id,
                   'start', r.start, 'end', r."end", 'evidence', r.evidence
               ) order by r.weight desc, r.chunk, r.kind, r.forward
           ) as relations
    from (
        select t.kind, t.forward, t.weight, t.chunk, d.source, d.title, c.id, c.char_start + t.start as start, c.char_start + t."end" as "end",
               left(substr(c.body, t.start + 1, t."end" - t.start), %(longest)s) as evidence
        from tied t
        join tadori.chunk c on c.tid = %(tid)s and c.chunk = t.chunk
        cross join lateral (
            select d.source, d.title
            from tadori.document d
            where d.tid = c.tid and d.coll = c.coll and d.content = c.content
            order by d.document + 0
            limit 1
        ) d
        where t.key = n.key
        order by t.weight desc, t.chunk, t.kind, t.forward
        limit %(most_relations)s
    ) r
) e on true
order by n.weight desc, n.key
