-- $1: the name of a schema. Columns of texts with a limited length, also of lists of them, and columns
-- whose default, or identity, is the next number of a sequence.
select
  rel.relname,
  att.attname,
  -- The modifier of these types is the length and four bytes.
  case
    when att.atttypmod > 4
    and att.atttypid in (
      'varchar'::regtype, 'varchar[]'::regtype, 'bpchar'::regtype, 'bpchar[]'::regtype
    ) then att.atttypmod - 4
  end as length,
  seq.nspname,
  seq.relname as sequence
from pg_namespace as nsp
join pg_class as rel on rel.relnamespace = nsp.oid and rel.relkind in ('r', 'p')
join pg_attribute as att on att.attrelid = rel.oid and att.attnum > 0 and not att.attisdropped
left join lateral (
  select own_nsp.nspname, own.relname
  from pg_attrdef as def
  join pg_depend as dep
    on dep.classid = 'pg_attrdef'::regclass
    and dep.objid = def.oid
    and dep.refclassid = 'pg_class'::regclass
  join pg_class as own on own.oid = dep.refobjid and own.relkind = 'S'
  join pg_namespace as own_nsp on own_nsp.oid = own.relnamespace
  where def.adrelid = att.attrelid
    and def.adnum = att.attnum
    and pg_get_expr(def.adbin, def.adrelid) ~ '^nextval[(]''.*''::regclass[)]$'
  union all
  select own_nsp.nspname, own.relname
  from pg_depend as dep
  join pg_class as own on own.oid = dep.objid and own.relkind = 'S'
  join pg_namespace as own_nsp on own_nsp.oid = own.relnamespace
  where dep.classid = 'pg_class'::regclass
    and dep.refclassid = 'pg_class'::regclass
    and dep.refobjid = rel.oid
    and dep.refobjsubid = att.attnum
    and dep.deptype = 'i'
) as seq on true
where nsp.nspname = $1
order by rel.relname, att.attnum
