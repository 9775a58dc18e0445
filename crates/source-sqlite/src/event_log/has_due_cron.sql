-- ?1: names of triggers with seconds, as JSON.
SELECT EXISTS (
    SELECT 1
    FROM thalweg_cron_events AS e
    JOIN json_each(?1) AS wanted ON wanted.value ->> 'name' = e.trigger_name
    WHERE e.status IN ('scheduled', 'locked')
        AND e.scheduled_time <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
        AND (e.status = 'locked') <= (e.next_retry_at IS NOT NULL)
        AND (e.next_retry_at IS NULL OR e.next_retry_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
)
