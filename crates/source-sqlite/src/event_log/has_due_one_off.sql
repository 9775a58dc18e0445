SELECT EXISTS (
    SELECT 1
    FROM thalweg_scheduled_events AS e
    WHERE e.status IN ('scheduled', 'locked')
        AND e.scheduled_time <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
        AND (e.status = 'locked') <= (e.next_retry_at IS NOT NULL)
        AND (e.next_retry_at IS NULL OR e.next_retry_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
)
