-- $1: tables. The statements that create their triggers, in pieces of one table each: those that are
-- missing, or have other arguments. The arguments are the number of columns of the primary key, and
-- the columns of the key and of foreign keys.
with key as (
  select
    rel.oid,
    coalesce(
      (
        select array_agg(att.attname::text order by place.number)
        from pg_catalog.pg_index as ind
        cross join unnest(ind.indkey::smallint[]) with ordinality as place (attnum, number)
        join pg_catalog.pg_attribute as att
          on att.attrelid = ind.indrelid and att.attnum = place.attnum
        where ind.indrelid = rel.oid
          and ind.indisprimary
      ),
      '{}'
    ) as columns
  from pg_catalog.pg_class as rel
  where rel.oid = any ($1::oid[])
),
argument as (
  select
    key.oid,
    array[cardinality(key.columns)::text] || key.columns || array(
      select distinct att.attname::text
      from pg_catalog.pg_constraint as con
      join pg_catalog.pg_attribute as att
        on att.attrelid = con.conrelid and att.attnum = any (con.conkey)
      where con.conrelid = key.oid
        and con.contype = 'f'
        and not att.attname::text = any (key.columns)
      order by 1
    ) as texts
  from key
),
wanted as (
  select
    argument.oid,
    event.number,
    event.name,
    event.tables,
    (
      select string_agg(quote_literal(text), ', ' order by number)
      from unnest(argument.texts) with ordinality as one (text, number)
    ) as arguments,
    (
      select string_agg(
        convert_to(text, current_setting('server_encoding')) || '\x00'::bytea, '' order by number
      )
      from unnest(argument.texts) with ordinality as one (text, number)
    ) as bytes
  from argument
  cross join (
    values
      (1, 'insert', ' referencing new table as new_rows'),
      (2, 'update', ' referencing old table as old_rows new table as new_rows'),
      (3, 'delete', ' referencing old table as old_rows'),
      (4, 'truncate', '')
  ) as event (number, name, tables)
)
select string_agg(
  case when tri.oid is null
    then ''
    else format('drop trigger %I on %I.%I;', tri.tgname, nsp.nspname, rel.relname) || E'\n'
  end
  || format('create trigger %I after %s on %I.%I%s for each statement execute function thalweg_live.notify(%s);',
    'thalweg_live_' || wanted.name, wanted.name, nsp.nspname, rel.relname, wanted.tables,
    wanted.arguments),
  E'\n' order by wanted.number
)
from wanted
join pg_catalog.pg_class as rel on rel.oid = wanted.oid
join pg_catalog.pg_namespace as nsp on nsp.oid = rel.relnamespace
left join pg_catalog.pg_trigger as tri
  on tri.tgrelid = rel.oid and tri.tgname = 'thalweg_live_' || wanted.name
where tri.oid is null
  or tri.tgargs <> wanted.bytes
  or tri.tgenabled not in ('O', 'A')
group by nsp.nspname, rel.relname
order by nsp.nspname, rel.relname
