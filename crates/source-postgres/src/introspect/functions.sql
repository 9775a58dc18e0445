-- $1: oids of namespaces, in the order in which they are served. $2: whether what belongs to an
-- extension is listed, too.
-- Functions that a query could call: no aggregates, window functions and procedures, none of
-- triggers, none that make values of a range type, and none whose name marks it as private.
select
  pro.oid,
  pro.pronamespace,
  pro.proname,
  pro.provolatile,
  pro.proisstrict,
  pro.proretset,
  pro.pronargdefaults,
  pro.provariadic <> 0 as variadic,
  (
    select count(*)
    from pg_proc as other
    where other.pronamespace = pro.pronamespace
      and other.proname = pro.proname
  ) > 1 as overloaded,
  signature.types,
  coalesce(array_to_string(pro.proargmodes, ''), '') as modes,
  coalesce(pro.proargnames, '{}') as names,
  -- For each type the table whose row it is, or 0.
  array(
    select coalesce(rel.oid, 0)
    from unnest(signature.types) with ordinality as part (oid, place)
    left join pg_type as typ on typ.oid = part.oid
    left join pg_class as rel on rel.oid = typ.typrelid and rel.relkind <> 'c'
    order by part.place
  ) as rows,
  -- Types that are none, but stand for others.
  array(
    select distinct typ.typname::text
    from unnest(signature.types || pro.prorettype) as part (oid)
    join pg_type as typ on typ.oid = part.oid
    where typ.typtype = 'p'
      and typ.oid not in ('void'::regtype, 'record'::regtype)
    union
    select 'record'
    where 'record'::regtype = any (signature.types)
    order by 1
  ) as pseudo,
  pro.prorettype,
  coalesce(result_row.oid, 0) as result_row,
  coalesce(element_row.oid, 0) as element_row,
  comment.description
from pg_proc as pro
cross join lateral (
  select coalesce(pro.proallargtypes, pro.proargtypes::oid[]) as types
) as signature
join pg_type as result on result.oid = pro.prorettype
left join pg_class as result_row on result_row.oid = result.typrelid and result_row.relkind <> 'c'
left join pg_type as element on element.oid = result.typelem and element.typarray = result.oid
left join pg_class as element_row on element_row.oid = element.typrelid and element_row.relkind <> 'c'
left join pg_description as comment
  on comment.objoid = pro.oid
  and comment.classoid = 'pg_proc'::regclass
where pro.pronamespace = any ($1::oid[])
  and pro.prokind = 'f'
  and pro.prorettype not in (
    'trigger'::regtype,
    'event_trigger'::regtype,
    'language_handler'::regtype,
    'fdw_handler'::regtype,
    'index_am_handler'::regtype,
    'table_am_handler'::regtype,
    'tsm_handler'::regtype
  )
  and not starts_with(pro.proname::text, '__')
  and not exists (
    select 1
    from pg_type as made
    where made.typname = pro.proname
      and made.typnamespace = pro.pronamespace
      and made.typtype in ('r', 'm')
  )
  and ($2 or not exists (
    select 1
    from pg_depend as owned
    where owned.classid = 'pg_proc'::regclass
      and owned.objid = pro.oid
      and owned.refclassid = 'pg_extension'::regclass
      and owned.deptype = 'e'
  ))
  -- Thalweg's own objects for the tables of type definitions.
  and not (
    starts_with(pro.proname::text, 'thalweg_')
    and exists (
      select 1
      from pg_class as history
      where history.relnamespace = pro.pronamespace and history.relname = 'thalweg_migrations'
    )
  )
order by array_position($1::oid[], pro.pronamespace), pro.proname, pro.oid
