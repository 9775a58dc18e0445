-- The number of waiting events, and seconds since the oldest of those that are due became due.
SELECT
    count(*),
    coalesce(
        max(0.0, unixepoch('now', 'subsec') - unixepoch(min(due), 'subsec')), 0.0
    )
FROM (
    SELECT coalesce(next_retry_at, created_at) AS due
    FROM thalweg_event_log
    WHERE delivered = 0 AND error = 0 AND archived = 0
    UNION ALL
    SELECT coalesce(next_retry_at, scheduled_time)
    FROM thalweg_cron_events
    WHERE status IN ('scheduled', 'locked')
        AND scheduled_time <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    UNION ALL
    SELECT coalesce(next_retry_at, scheduled_time)
    FROM thalweg_scheduled_events
    WHERE status IN ('scheduled', 'locked')
        AND scheduled_time <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
)
