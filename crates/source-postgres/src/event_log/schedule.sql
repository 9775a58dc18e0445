-- $1: a trigger; $2: times in microseconds since 1970; $3: those whose events are removed.
with removed as (
  delete from hdb_catalog.hdb_cron_events
  where trigger_name = $1
    and status = 'scheduled'
    and tries = 0
    and scheduled_time > now()
    and scheduled_time in (
      select to_timestamp(0) + micros * interval '1 microsecond' from unnest($3::int8[]) as micros
    )
)
insert into hdb_catalog.hdb_cron_events (trigger_name, scheduled_time)
select $1, one.scheduled_time
from (
  select to_timestamp(0) + micros * interval '1 microsecond' as scheduled_time
  from unnest($2::int8[]) as micros
) as one
where not exists (
  select from hdb_catalog.hdb_cron_events as other
  where other.trigger_name = $1 and other.scheduled_time = one.scheduled_time
)
