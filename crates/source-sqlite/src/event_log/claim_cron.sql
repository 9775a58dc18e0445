-- ?1: names of triggers and seconds after which a claim has ended, as JSON; ?2: how many. The end of a
-- claim is kept as the time of the next attempt.
UPDATE thalweg_cron_events
SET
    status = 'locked',
    next_retry_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', (
        SELECT printf('+%f seconds', wanted.value ->> 'lease')
        FROM json_each(?1) AS wanted
        WHERE wanted.value ->> 'name' = trigger_name
    ))
WHERE id IN (
    SELECT e.id
    FROM thalweg_cron_events AS e
    JOIN json_each(?1) AS wanted ON wanted.value ->> 'name' = e.trigger_name
    WHERE e.status IN ('scheduled', 'locked')
        AND e.scheduled_time <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
        AND (e.status = 'locked') <= (e.next_retry_at IS NOT NULL)
        AND (e.next_retry_at IS NULL OR e.next_retry_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    ORDER BY e.scheduled_time
    LIMIT ?2
)
RETURNING id, trigger_name, strftime('%Y-%m-%dT%H:%M:%SZ', scheduled_time), tries
