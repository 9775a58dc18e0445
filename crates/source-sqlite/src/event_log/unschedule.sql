-- ?1: a trigger; ?2: times in microseconds since 1970, as JSON.
DELETE FROM thalweg_cron_events
WHERE trigger_name = ?1 AND status = 'scheduled' AND tries = 0
    AND scheduled_time > strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    AND scheduled_time IN (
        SELECT strftime('%Y-%m-%dT%H:%M:%fZ', value / 1000000, 'unixepoch') FROM json_each(?2)
    )
