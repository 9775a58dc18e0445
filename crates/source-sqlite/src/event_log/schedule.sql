-- ?1: a trigger; ?2: times in microseconds since 1970, as JSON.
INSERT INTO thalweg_cron_events (trigger_name, scheduled_time)
SELECT ?1, strftime('%Y-%m-%dT%H:%M:%fZ', value / 1000000, 'unixepoch') FROM json_each(?2) WHERE true
ON CONFLICT (trigger_name, scheduled_time) DO NOTHING
