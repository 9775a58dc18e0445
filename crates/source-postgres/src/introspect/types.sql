-- $1: oids of the types of columns.
-- All types that these are made of: bases of domains, elements of arrays, subtypes of ranges,
-- attributes of composites (but not those of the row types of tables).
with recursive reached (oid) as (
  select wanted.oid
  from unnest($1::oid[]) as wanted (oid)
  union
  select part.oid
  from reached
  join pg_type as typ on typ.oid = reached.oid
  cross join lateral (
    select typ.typbasetype
    union all
    select typ.typelem
    union all
    select rng.rngsubtype
    from pg_range as rng
    where rng.rngtypid = typ.oid
    union all
    select att.atttypid
    from pg_class as rel
    join pg_attribute as att on att.attrelid = rel.oid
    where rel.oid = typ.typrelid
      and rel.relkind = 'c'
      and att.attnum > 0
      and not att.attisdropped
  ) as part (oid)
  where part.oid <> 0
)
select
  typ.oid,
  namespace.nspname,
  typ.typname,
  typ.typtype,
  typ.typarray,
  -- Types of fixed length and the vectors of the system have elements, but are not arrays.
  coalesce(element.oid, 0) as element,
  typ.typbasetype,
  typ.typtypmod,
  typ.typnotnull,
  typ.typdefaultbin is not null as has_default,
  coalesce(rng.rngsubtype, 0) as subtype,
  case when composite.relkind = 'c' then typ.typrelid else 0 end as composite,
  typ.typrelid as row_of,
  array(
    select enm.enumlabel::text
    from pg_enum as enm
    where enm.enumtypid = typ.oid
    order by enm.enumsortorder
  ) as labels,
  ext.extname,
  comment.description
from pg_type as typ
join pg_namespace as namespace on namespace.oid = typ.typnamespace
left join pg_type as element on element.oid = typ.typelem and element.typarray = typ.oid
left join pg_range as rng on rng.rngtypid = typ.oid
left join pg_class as composite on composite.oid = typ.typrelid
left join pg_depend as owned
  on owned.classid = 'pg_type'::regclass
  and owned.objid = typ.oid
  and owned.refclassid = 'pg_extension'::regclass
  and owned.deptype = 'e'
left join pg_extension as ext on ext.oid = owned.refobjid
left join pg_description as comment
  on comment.objoid = typ.oid
  and comment.classoid = 'pg_type'::regclass
  and comment.objsubid = 0
-- An array, because nobody can estimate what the recursion gives: joined with it, the whole of
-- every catalog would be read.
where typ.oid = any (array(select reached.oid from reached))
order by typ.oid
