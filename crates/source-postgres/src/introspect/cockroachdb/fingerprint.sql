-- $1: names of namespaces. A text that is another once something was changed that an API of these is
-- made from, by what the catalogs say: their rows have no transactions that wrote them.
select md5(coalesce(string_agg(part.text, ',' order by part.text), ''))
from (
  select concat_ws(
    '|', 'column', nsp.nspname, rel.relname, rel.relkind::text, att.attnum::text, att.attname,
    att.atttypid::text, att.atttypmod::text, att.attnotnull::text, att.atthasdef::text,
    att.attgenerated::text, comment.description
  )
  from pg_namespace as nsp
  join pg_class as rel on rel.relnamespace = nsp.oid
  join pg_attribute as att on att.attrelid = rel.oid
  left join pg_description as comment
    on comment.objoid = rel.oid
    and comment.classoid = 'pg_class'::regclass
    and comment.objsubid in (0, att.attnum)
  where nsp.nspname = any ($1::text[]) and att.attnum > 0 and not att.attisdropped
  union all
  select concat_ws(
    '|', 'constraint', nsp.nspname, con.conname, con.contype::text, con.conrelid::text,
    con.confrelid::text, con.conkey::text, con.confkey::text, con.convalidated::text
  )
  from pg_namespace as nsp
  join pg_constraint as con on con.connamespace = nsp.oid
  where nsp.nspname = any ($1::text[])
  union all
  select concat_ws('|', 'function', nsp.nspname, pro.proname, pro.oid::text, pro.prorettype::text)
  from pg_namespace as nsp
  join pg_proc as pro on pro.pronamespace = nsp.oid
  where nsp.nspname = any ($1::text[])
  union all
  select concat_ws('|', 'enum', enm.enumtypid::text, enm.enumlabel, enm.enumsortorder::text)
  from pg_enum as enm
) as part (text)
