-- ?1: seconds after which a claim has ended; ?2: how many.
UPDATE thalweg_scheduled_events
SET
    status = 'locked',
    next_retry_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('+%f seconds', ?1))
WHERE id IN (
    SELECT e.id
    FROM thalweg_scheduled_events AS e
    WHERE e.status IN ('scheduled', 'locked')
        AND e.scheduled_time <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
        AND (e.status = 'locked') <= (e.next_retry_at IS NOT NULL)
        AND (e.next_retry_at IS NULL OR e.next_retry_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    ORDER BY e.scheduled_time
    LIMIT ?2
)
RETURNING id, webhook_conf, scheduled_time, retry_conf, payload, header_conf, comment, tries,
    created_at
