-- $1: wanted triggers as JSON. The reasons why some cannot be created.
with wanted as (
  select *
  from json_to_recordset($1::text::json) as one
    (name text, schema text, "table" text, op text, compared json, payload json, always boolean)
),
found as (
  select wanted.*, rel.oid, rel.relkind
  from wanted
  left join pg_catalog.pg_namespace as nsp on nsp.nspname = wanted.schema
  left join pg_catalog.pg_class as rel on rel.relnamespace = nsp.oid and rel.relname = wanted."table"
)
select distinct format('the event trigger "%s": there is no table "%s"."%s"', name, schema, "table")
from found
where oid is null
union
select format(
  'the event trigger "%s": "%s"."%s" is no table, and only changes of the rows of tables are events',
  name, schema, "table"
)
from found
where relkind not in ('r', 'p', 'f')
union
select format('the event trigger "%s": the table "%s"."%s" has no column "%s"',
  name, schema, "table", one.column_name)
from found
cross join lateral (
  select json_array_elements_text(compared) as column_name
  where op = 'UPDATE' and json_typeof(compared) = 'array'
  union
  select json_array_elements_text(payload)
  where json_typeof(payload) = 'array'
) as one
where oid is not null
  and not exists (
    select from pg_catalog.pg_attribute as att
    where att.attrelid = found.oid
      and att.attname = one.column_name
      and att.attnum > 0
      and not att.attisdropped
  )
order by 1
