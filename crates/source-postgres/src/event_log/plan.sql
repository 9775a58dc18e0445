-- $1: wanted triggers as JSON. The statements that create, change and remove triggers, each with its
-- reason, in the order in which they run.
with wanted as (
  select
    one.*,
    'notify_hasura_' || one.name || '_' || one.op as function_name,
    rel.oid as relation
  from json_to_recordset($1::text::json) as one
    (name text, schema text, "table" text, op text, compared json, payload json, always boolean)
  join pg_catalog.pg_namespace as nsp on nsp.nspname = one.schema
  join pg_catalog.pg_class as rel on rel.relnamespace = nsp.oid and rel.relname = one."table"
),
listed as (
  select
    wanted.*,
    json_typeof(wanted.payload) = 'array' as is_listed,
    coalesce(json_typeof(wanted.compared), 'null') = 'array' as is_compared,
    (
      select string_agg(format('new.%I', name), ', ' order by number)
      from json_array_elements_text(
        case when json_typeof(wanted.compared) = 'array' then wanted.compared end
      ) with ordinality as one (name, number)
    ) as new_compared,
    (
      select string_agg(format('old.%I', name), ', ' order by number)
      from json_array_elements_text(
        case when json_typeof(wanted.compared) = 'array' then wanted.compared end
      ) with ordinality as one (name, number)
    ) as old_compared,
    (
      select string_agg(format('new.%I', name), ', ' order by number)
      from json_array_elements_text(
        case when json_typeof(wanted.payload) = 'array' then wanted.payload end
      ) with ordinality as one (name, number)
    ) as new_payload,
    (
      select string_agg(format('old.%I', name), ', ' order by number)
      from json_array_elements_text(
        case when json_typeof(wanted.payload) = 'array' then wanted.payload end
      ) with ordinality as one (name, number)
    ) as old_payload
  from wanted
),
body as (
  select
    listed.*,
    -- Rows are compared by their bytes: not all types have equality.
    case
      when op <> 'UPDATE' then E'\nbegin\n'
      when not is_compared then
        E'\nbegin\n  if not (old *<> new) then\n    return null;\n  end if;\n'
      when new_compared is null then E'\nbegin\n  return null;\n'
      else
        E'\ndeclare\n  compared_old record;\n  compared_new record;\nbegin\n'
        || '  select ' || old_compared || E' into compared_old;\n'
        || '  select ' || new_compared || E' into compared_new;\n'
        || E'  if not (compared_old *<> compared_new) then\n    return null;\n  end if;\n'
    end
    || format(
      E'  perform hdb_catalog.insert_event_log(%L, %L, %L, %L, '
      || E'json_build_object(''old'', %s, ''new'', %s));\n  return null;\nend\n',
      schema, "table", name, op,
      case
        when op = 'INSERT' then 'null::json'
        when not coalesce(is_listed, false) then 'row_to_json(old)'
        when old_payload is null then '''{}''::json'
        else '(select row_to_json(one.*) from (select ' || old_payload || ') as one)'
      end,
      case
        when op = 'DELETE' then 'null::json'
        when not coalesce(is_listed, false) then 'row_to_json(new)'
        when new_payload is null then '''{}''::json'
        else '(select row_to_json(one.*) from (select ' || new_payload || ') as one)'
      end
    ) as source
  from listed
),
existing as (
  select
    pro.proname as function_name,
    substring(pro.proname from '^notify_hasura_(.*)_(?:INSERT|UPDATE|DELETE)$') as name,
    pro.prosrc,
    pro.prosecdef,
    tri.tgname,
    tri.tgrelid as relation,
    tri.tgenabled,
    tri.tgtype
  from pg_catalog.pg_proc as pro
  join pg_catalog.pg_namespace as nsp on nsp.oid = pro.pronamespace
  left join pg_catalog.pg_trigger as tri
    on tri.tgfoid = pro.oid and not tri.tgisinternal and tri.tgparentid = 0
  where nsp.nspname = 'hdb_catalog'
    and pro.proname ~ '^notify_hasura_.*_(INSERT|UPDATE|DELETE)$'
    and pro.pronargs = 0
)
select reason, statement
from (
  -- Those that are not wanted any more.
  select distinct
    1 as place,
    existing.function_name as name,
    format('the trigger "%s" is not wanted any more', existing.function_name) as reason,
    format('drop function hdb_catalog.%I() cascade', existing.function_name) as statement
  from existing
  where not exists (select from wanted where wanted.function_name = existing.function_name)
  union all
  select distinct
    2,
    existing.name,
    format('events of "%s" are not delivered any more', existing.name),
    format('update hdb_catalog.event_log set archived = true where trigger_name = %L and not archived',
      existing.name)
  from existing
  where not exists (select from wanted where wanted.name = existing.name)
  union all
  -- Those on other tables, or of other kinds.
  select
    3,
    existing.function_name,
    format('the trigger "%s" is on another table', existing.function_name),
    format('drop trigger %I on %s', existing.tgname, existing.relation::regclass)
  from existing
  join wanted on wanted.function_name = existing.function_name
  where existing.relation <> wanted.relation or existing.tgname <> existing.function_name
  union all
  select
    4,
    body.function_name,
    case
      when exists (select from existing where existing.function_name = body.function_name)
      then format('the function "%s" is another one', body.function_name)
      else format('the function "%s" is missing', body.function_name)
    end,
    format(
      'create or replace function hdb_catalog.%I() returns trigger language plpgsql '
      || 'security definer set search_path = pg_catalog, pg_temp as %L;'
      || E'\nrevoke execute on function hdb_catalog.%1$I() from public',
      body.function_name, body.source
    )
  from body
  where not exists (
    select from existing
    where existing.function_name = body.function_name
      and existing.prosrc = body.source
      and existing.prosecdef
  )
  union all
  select
    5,
    body.function_name,
    format('the trigger "%s" is missing', body.function_name),
    format('create trigger %I after %s on %s for each row execute function hdb_catalog.%1$I()',
      body.function_name, body.op, body.relation::regclass)
  from body
  where not exists (
    select from existing
    where existing.function_name = body.function_name
      and existing.relation = body.relation
      and existing.tgname = existing.function_name
  )
  union all
  select
    6,
    body.function_name,
    format('the trigger "%s" fires for other sessions', body.function_name),
    format('alter table %s enable %s trigger %I', body.relation::regclass,
      case when body.always then 'always' else '' end, body.function_name)
  from body
  left join existing
    on existing.function_name = body.function_name
    and existing.relation = body.relation
    and existing.tgname = existing.function_name
  where coalesce(existing.tgenabled, 'O') <> case when body.always then 'A' else 'O' end
) as planned
order by place, name
