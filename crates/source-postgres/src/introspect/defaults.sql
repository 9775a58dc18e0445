-- $1: oids of relations. A sequence is named if its next number is the whole default, and if it is in
-- the schema of the table.
select
  def.adrelid,
  def.adnum,
  pg_get_expr(def.adbin, def.adrelid) as expression,
  seq.relname as sequence,
  seq.seqstart
from unnest($1::oid[]) as wanted (oid)
join pg_class as rel on rel.oid = wanted.oid
join pg_attrdef as def on def.adrelid = wanted.oid
join pg_attribute as att on att.attrelid = def.adrelid and att.attnum = def.adnum
left join lateral (
  select own.relname, num.seqstart
  from pg_depend as dep
  join pg_class as own on own.oid = dep.refobjid and own.relkind = 'S'
  join pg_sequence as num on num.seqrelid = own.oid
  where dep.classid = 'pg_attrdef'::regclass
    and dep.objid = def.oid
    and dep.refclassid = 'pg_class'::regclass
    and own.relnamespace = rel.relnamespace
    and pg_get_expr(def.adbin, def.adrelid) ~ '^nextval[(]''[^'']*''::regclass[)]$'
) as seq on true
where att.attgenerated = ''
order by def.adrelid, def.adnum
