-- $1: how many; $2: names of triggers; $3: seconds after which a claim has ended. The end of a claim is
-- kept as the time of the next attempt.
update hdb_catalog.hdb_cron_events as claimed
set status = 'locked', next_retry_at = now() + make_interval(secs => found.lease)
from (
  select one.id, wanted.lease
  from hdb_catalog.hdb_cron_events as one
  join unnest($2::text[], $3::float8[]) as wanted (name, lease) on wanted.name = one.trigger_name
  where one.scheduled_time <= now()
    and (
      one.status = 'scheduled' and (one.next_retry_at is null or one.next_retry_at <= now())
      or one.status = 'locked' and one.next_retry_at <= now()
    )
  order by one.scheduled_time
  limit $1
  for update of one skip locked
) as found
where claimed.id = found.id
returning claimed.id, claimed.trigger_name,
  to_char(timezone('utc', claimed.scheduled_time), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), claimed.tries
