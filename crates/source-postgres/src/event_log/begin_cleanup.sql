-- $1: a trigger; $2: the time of its schedule in microseconds since 1970. No row if another server
-- has begun.
insert into hdb_catalog.hdb_event_log_cleanups (trigger_name, scheduled_at, status)
values ($1, timezone('utc', to_timestamp(0) + $2::int8 * interval '1 microsecond'), 'scheduled')
on conflict (trigger_name, scheduled_at) do nothing
returning id
