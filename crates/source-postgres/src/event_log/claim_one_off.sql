-- $1: how many; $2: seconds after which a claim has ended.
update hdb_catalog.hdb_scheduled_events as claimed
set status = 'locked', next_retry_at = now() + make_interval(secs => $2::float8)
from (
  select one.id
  from hdb_catalog.hdb_scheduled_events as one
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
returning claimed.id, claimed.webhook_conf::text,
  to_char(timezone('utc', claimed.scheduled_time), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
  claimed.retry_conf::text, claimed.payload::text, claimed.header_conf::text, claimed.comment,
  claimed.tries,
  to_char(timezone('utc', coalesce(claimed.created_at, now())), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
