-- $1: name of the trigger; $2: statuses, none for all; $3: limit; $4: offset.
with found as (
  select id, trigger_name, scheduled_time, status, tries, created_at, next_retry_at
  from hdb_catalog.hdb_cron_events
  where trigger_name = $1 and (cardinality($2::text[]) = 0 or status = any ($2))
)
select json_build_object(
  'count', (select count(*) from found),
  'events', (
    select coalesce(json_agg(to_json(one)), '[]')
    from (select * from found order by scheduled_time, id limit $3 offset $4) as one
  )
)::text
