-- $1: oids of namespaces, in the order in which they are served. $2: whether what belongs to an
-- extension is listed, too: CockroachDB has no extensions with tables.
-- The same columns as in ../relations.sql. Parts of a table are no tables of their own, views cannot be
-- changed, and the catalog has no numbers of rows.
select
  rel.oid,
  rel.relnamespace,
  rel.relname,
  rel.relkind,
  coalesce(typ.typarray, 0)::oid as row_array,
  rel.relkind = 'r' as one_table,
  false as partitioned,
  exists (
    select 1
    from pg_trigger as tgr
    where tgr.tgrelid = rel.oid and not tgr.tgisinternal
  ) as triggered,
  case when rel.relkind = 'r' then 28 else 0 end::int4 as changes,
  null::float8 as estimated_rows,
  comment.description
from pg_class as rel
left join pg_type as typ on typ.oid = rel.reltype
left join pg_description as comment
  on comment.objoid = rel.oid
  and comment.classoid = 'pg_class'::regclass
  and comment.objsubid = 0
where rel.relnamespace = any ($1::oid[])
  and rel.relkind in ('r', 'v', 'm')
  and ($2 or true)
order by array_position($1::oid[], rel.relnamespace), rel.relname
