-- ?1: a trigger. Its last time that has an event, in microseconds since 1970.
SELECT unixepoch(max(scheduled_time)) * 1000000 FROM thalweg_cron_events WHERE trigger_name = ?1
