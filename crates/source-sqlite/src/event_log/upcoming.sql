-- ?1: a trigger. Its future times in microseconds since 1970.
SELECT unixepoch(scheduled_time) * 1000000
FROM thalweg_cron_events
WHERE trigger_name = ?1 AND status = 'scheduled'
    AND scheduled_time > strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
ORDER BY scheduled_time
