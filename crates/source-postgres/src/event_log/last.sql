-- $1: a trigger. Its last time that has an event, in microseconds since 1970.
select (extract(epoch from max(scheduled_time)) * 1000000)::bigint
from hdb_catalog.hdb_cron_events
where trigger_name = $1
