-- $1: names of triggers; $2: seconds after which an event is too late.
update hdb_catalog.hdb_cron_events as late
set status = 'dead', next_retry_at = null
from unnest($1::text[], $2::float8[]) as wanted (name, tolerance)
where late.trigger_name = wanted.name
  and late.status = 'scheduled'
  and late.tries = 0
  and late.scheduled_time < now() - make_interval(secs => wanted.tolerance)
