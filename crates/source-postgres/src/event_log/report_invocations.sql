-- $1: name of the trigger; $2: limit; $3: offset.
select coalesce(json_agg(to_json(one)), '[]')::text
from (
  select id, trigger_name, event_id, status, request, response, created_at
  from hdb_catalog.event_invocation_logs
  where trigger_name = $1
  order by created_at desc, id
  limit $2 offset $3
) as one
