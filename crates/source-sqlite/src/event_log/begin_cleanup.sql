-- ?1: a trigger; ?2: the time of its schedule in microseconds since 1970. No row if another server has
-- begun.
INSERT INTO thalweg_event_log_cleanups (trigger_name, scheduled_at, status)
VALUES (?1, strftime('%Y-%m-%dT%H:%M:%fZ', ?2 / 1000000, 'unixepoch'), 'scheduled')
ON CONFLICT (trigger_name, scheduled_at) DO NOTHING
RETURNING id
