-- $1: id; $2: limit of invocations; $3: their offset. No row if there is no such event.
select json_build_object(
  'event', (
    select to_json(one) from (
      select found.id, schema_name, table_name, trigger_name, payload, delivered, error, tries,
        created_at, locked, next_retry_at, archived
    ) as one
  ),
  'invocations', (
    select coalesce(json_agg(to_json(one)), '[]')
    from (
      select id, trigger_name, event_id, status, request, response, created_at
      from hdb_catalog.event_invocation_logs
      where event_id = $1
      order by created_at desc, id
      limit $2 offset $3
    ) as one
  )
)::text
from hdb_catalog.event_log as found
where found.id = $1
