-- $1: oids of relations.
-- The column number 0 stands for an expression: the columns before the first of these say what
-- the index is about. The columns behind indnkeyatts are only carried along (INCLUDE). Indexes
-- that belong to a key are left out: the key says the same. Rows are found by equality of columns
-- in btree and hash indexes.
select
  ind.indrelid,
  rel.relname,
  keys.columns,
  pg_get_expr(ind.indpred, ind.indrelid) as predicate,
  -- With columns that are only carried along PostGraphile takes it for none of one column. What
  -- differs by the index's own collation may be equal by the column's.
  ind.indisunique
  and ind.indisvalid
  and cardinality(keys.columns) = ind.indnatts
  and not exists (
    select 1
    from unnest(ind.indkey::int2[], ind.indcollation::oid[]) as own (number, coll)
    join pg_attribute as col on col.attrelid = ind.indrelid and col.attnum = own.number
    where col.attcollation <> own.coll
  ) as "unique",
  method.amname in ('btree', 'hash') and ind.indisvalid and ind.indisready as equals
from unnest($1::oid[]) as wanted (oid)
join pg_index as ind on ind.indrelid = wanted.oid
join pg_class as rel on rel.oid = ind.indexrelid
join pg_am as method on method.oid = rel.relam
cross join lateral (
  select array_agg(col.number order by col.place) as columns
  from unnest(ind.indkey::int2[]) with ordinality as col (number, place)
  where col.place <= ind.indnkeyatts
    and not exists (
      select 1
      from unnest(ind.indkey::int2[]) with ordinality as before (number, place)
      where before.number = 0 and before.place <= col.place
    )
) as keys
where ind.indislive
  and not ind.indisexclusion
  and keys.columns is not null
  and not exists (
    select 1
    from pg_constraint as con
    where con.conrelid = ind.indrelid
      and con.conindid = ind.indexrelid
      and con.contype in ('p', 'u')
  )
order by ind.indrelid, rel.relname
