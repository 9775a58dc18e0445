-- The number of waiting events, and seconds since the oldest of those that are due became due.
select
  count(*),
  coalesce(extract(epoch from now() - min(due) filter (where due <= now())), 0)::float8
from (
  select timezone('utc', coalesce(next_retry_at, created_at)) as due
  from hdb_catalog.event_log
  where delivered = 'f' and error = 'f' and archived = 'f'
  union all
  select coalesce(next_retry_at, scheduled_time)
  from hdb_catalog.hdb_cron_events
  where status in ('scheduled', 'locked') and scheduled_time <= now()
  union all
  select coalesce(next_retry_at, scheduled_time)
  from hdb_catalog.hdb_scheduled_events
  where status in ('scheduled', 'locked') and scheduled_time <= now()
) as waiting
