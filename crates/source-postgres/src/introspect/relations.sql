-- $1: oids of namespaces, in the order in which they are served. $2: whether what belongs to an
-- extension is listed, too.
-- A partition is part of the partitioned table that is listed, so it is not listed itself.
-- A foreign table whose wrapper has no handler can be named only: of what stands on one it cannot be
-- asked whether it can be changed.
with recursive unreadable (oid) as (
  select ft.ftrelid
  from pg_foreign_table as ft
  inner join pg_foreign_server as srv on srv.oid = ft.ftserver
  inner join pg_foreign_data_wrapper as fdw on fdw.oid = srv.srvfdw
  where fdw.fdwhandler = 0
  union
  select rule.ev_class
  from unreadable
  inner join pg_depend as uses
    on uses.refclassid = 'pg_class'::regclass
    and uses.refobjid = unreadable.oid
    and uses.classid = 'pg_rewrite'::regclass
  inner join pg_rewrite as rule on rule.oid = uses.objid
)
select
  rel.oid,
  rel.relnamespace,
  rel.relname,
  rel.relkind,
  coalesce(typ.typarray, 0) as row_array,
  rel.relkind = 'p' or rel.relkind = 'r' and not rel.relhassubclass as one_table,
  rel.relkind = 'p' as partitioned,
  -- A trigger for each row (1) before (2) it is inserted (4) or updated (16) may change the row.
  -- Partitions and tables that inherit may have such of their own, which are not looked for.
  rel.relkind = 'p'
  or rel.relhassubclass
  or rel.relhastriggers and exists (
    select 1
    from pg_trigger as tgr
    where tgr.tgrelid = rel.oid
      and not tgr.tgisinternal
      and tgr.tgtype & 3 = 3
      and tgr.tgtype & 20 <> 0
  ) as triggered,
  -- 4: rows can be changed; 8: made; 16: taken away; of a view also by triggers.
  case
    when rel.relkind in ('r', 'p') then 28
    when rel.relkind = 'm' or rel.oid in (select oid from unreadable) then 0
    else pg_relation_is_updatable(rel.oid, true)
  end as changes,
  -- What the last ANALYZE or VACUUM found. Of partitions the sum: autovacuum does not analyze what they
  -- are parts of. Of tables with row level security nothing, since what they hide is not to be known.
  case
    when rel.relrowsecurity then null
    when rel.relkind in ('r', 'm') then rel.reltuples
    when rel.relkind = 'p' then (
      select sum(part.reltuples)
      from pg_partition_tree(rel.oid) as tree
      inner join pg_class as part on part.oid = tree.relid
      where tree.isleaf and part.reltuples > 0
    )
  end::float8 as estimated_rows,
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
    select 1
    from pg_depend as owned
    where owned.classid = 'pg_class'::regclass
      and owned.objid = rel.oid
      and owned.objsubid = 0
      and owned.refclassid = 'pg_extension'::regclass
      and owned.deptype = 'e'
  ))
  -- Thalweg's own objects for the tables of type definitions.
  and not (
    starts_with(rel.relname::text, 'thalweg_')
    and exists (
      select 1
      from pg_class as history
      where history.relnamespace = rel.relnamespace and history.relname = 'thalweg_migrations'
    )
  )
order by array_position($1::oid[], rel.relnamespace), rel.relname
