-- $1: name of the trigger; $2: whether they are pending, null for all; $3: limit; $4: offset.
select coalesce(json_agg(to_json(one)), '[]')::text
from (
  select id, schema_name, table_name, trigger_name, payload, delivered, error, tries, created_at,
    locked, next_retry_at, archived
  from hdb_catalog.event_log
  where trigger_name = $1 and ($2::boolean is null or $2 = (not delivered and not error and not archived))
  order by created_at desc, id
  limit $3 offset $4
) as one
