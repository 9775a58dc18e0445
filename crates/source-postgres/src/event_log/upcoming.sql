-- $1: a trigger. Its future times in microseconds since 1970.
select (extract(epoch from scheduled_time) * 1000000)::bigint
from hdb_catalog.hdb_cron_events
where trigger_name = $1 and status = 'scheduled' and scheduled_time > now()
order by scheduled_time
