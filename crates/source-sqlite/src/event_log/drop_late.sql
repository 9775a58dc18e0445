-- ?1: names of triggers, with the seconds after which an event is too late, as JSON.
UPDATE thalweg_cron_events SET status = 'dead', next_retry_at = NULL
FROM json_each(?1) AS wanted
WHERE wanted.value ->> 'name' = trigger_name
    AND status = 'scheduled'
    AND tries = 0
    AND scheduled_time < strftime('%Y-%m-%dT%H:%M:%fZ', 'now',
        printf('-%f seconds', wanted.value ->> 'tolerance'))
