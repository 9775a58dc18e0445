create schema if not exists thalweg_live;
-- Reports the changes of a statement over the channel `thalweg_live`: the table, and for each row the
-- values of some columns before and after it, with the names of the changed columns. For many rows, and
-- where the primary key has changed, the table alone. The first argument is the number of columns of
-- the primary key; the other ones are the columns whose values are sent, those of the key first.
create or replace function thalweg_live.notify() returns trigger language plpgsql as $function$
declare
  most constant integer := 20;
  sent constant text[] := tg_argv[1:tg_nargs - 1];
  keys constant text[] := tg_argv[1:tg_argv[0]::integer];
  changed_rows bigint := 1;
  reported json;
  message text;
begin
  if tg_op = 'INSERT' then
    select count(*), json_agg(json_build_object('after', (
        select json_object_agg(one.key, one.value)
        from json_each(changed.new_row) as one
        where one.key = any (sent)
      )))
      into changed_rows, reported
      from (select row_to_json(new_rows) as new_row from new_rows limit most + 1) as changed;
  elsif tg_op = 'DELETE' then
    select count(*), json_agg(json_build_object('before', (
        select json_object_agg(one.key, one.value)
        from json_each(changed.old_row) as one
        where one.key = any (sent)
      )))
      into changed_rows, reported
      from (select row_to_json(old_rows) as old_row from old_rows limit most + 1) as changed;
  elsif tg_op = 'UPDATE' then
    select
        count(*),
        -- The rows of both tables have one order, as the equal keys confirm.
        case when tg_argv[0] <> '0' and bool_and(is_pair and is_told) then
          json_agg(json_build_object('before', old_values, 'after', new_values, 'changed', changed))
        end
      into changed_rows, reported
      from (
        select
          array(select old_row ->> one.name from unnest(keys) as one (name))
            = array(select new_row ->> one.name from unnest(keys) as one (name)) as is_pair,
          -- A null as JSON is no other JSON than none.
          changes.names is not null or old_text = new_text as is_told,
          (
            select json_object_agg(one.key, one.value)
            from json_each(old_row) as one
            where one.key = any (sent)
          ) as old_values,
          (
            select json_object_agg(one.key, one.value)
            from json_each(new_row) as one
            where one.key = any (sent)
          ) as new_values,
          changes.names as changed
        from (
          select row_to_json(old_rows) as old_row, old_rows::text as old_text,
            row_number() over () as number
          from old_rows limit most + 1
        ) as before
        join (
          select row_to_json(new_rows) as new_row, new_rows::text as new_text,
            row_number() over () as number
          from new_rows limit most + 1
        ) as after using (number)
        cross join lateral (
          select json_agg(one.key) as names
          from json_each(old_row) as one
          join json_each(new_row) as other using (key)
          where one.value::text <> other.value::text
        ) as changes
      ) as pair;
  end if;
  if changed_rows = 0 then
    return null;
  end if;
  if changed_rows > most then
    reported := null;
  end if;
  message := json_build_object('table', json_build_array(tg_table_schema, tg_table_name), 'rows', reported);
  if octet_length(message) > 7900 then
    message := json_build_object('table', json_build_array(tg_table_schema, tg_table_name));
  end if;
  perform pg_notify('thalweg_live', message);
  return null;
end
$function$;
