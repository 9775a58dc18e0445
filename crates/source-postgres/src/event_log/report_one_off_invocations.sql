-- $1: nothing; $2: id of an event, null for all; $3: limit; $4: offset.
with found as (
  select id, event_id, status, request, response, created_at
  from hdb_catalog.hdb_scheduled_event_invocation_logs
  where $1::text is null and ($2::text is null or event_id = $2)
)
select json_build_object(
  'count', (select count(*) from found),
  'invocations', (
    select coalesce(json_agg(to_json(one)), '[]')
    from (select * from found order by created_at desc, id limit $3 offset $4) as one
  )
)::text
