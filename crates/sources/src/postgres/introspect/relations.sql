-- $1: oids of namespaces, in the order in which they are served. $2: whether what belongs to an
-- extension is listed, too.
-- A partition is part of the partitioned table that is listed, so it is not listed itself.
select
  rel.oid,
  rel.relnamespace,
  rel.relname,
  rel.relkind,
  coalesce(typ.typarray, 0) as row_array,
  rel.relkind = 'p' or rel.relkind = 'r' and not rel.relhassubclass as one_table,
  -- 4: rows can be changed; 8: made; 16: taken away; of a view also by triggers.
  case rel.relkind
    when 'm' then 0
    when 'v' then pg_relation_is_updatable(rel.oid, true)
    when 'f' then pg_relation_is_updatable(rel.oid, true)
    else 28
  end as changes,
  comment.description
from pg_class as rel
left join pg_type as typ on typ.oid = rel.reltype
left join pg_description as comment
  on comment.objoid = rel.oid
  and comment.classoid = 'pg_class'::regclass
  and comment.objsubid = 0
where rel.relnamespace = any ($1::oid[])
  and rel.relkind in ('r', 'p', 'v', 'm', 'f')
  and not rel.relispartition
  and ($2 or not exists (
    select
    from pg_depend as owned
    where owned.classid = 'pg_class'::regclass
      and owned.objid = rel.oid
      and owned.objsubid = 0
      and owned.refclassid = 'pg_extension'::regclass
      and owned.deptype = 'e'
  ))
order by array_position($1::oid[], rel.relnamespace), rel.relname
