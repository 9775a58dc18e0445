-- $1: name of the trigger, null for all; $2: id of an event, null for all; $3: limit; $4: offset.
with found as (
  select log.id, log.event_id, log.status, log.request, log.response, log.created_at
  from hdb_catalog.hdb_cron_event_invocation_logs as log
  join hdb_catalog.hdb_cron_events as event on event.id = log.event_id
  where ($1::text is null or event.trigger_name = $1) and ($2::text is null or log.event_id = $2)
)
select json_build_object(
  'count', (select count(*) from found),
  'invocations', (
    select coalesce(json_agg(to_json(one)), '[]')
    from (select * from found order by created_at desc, id limit $3 offset $4) as one
  )
)::text
