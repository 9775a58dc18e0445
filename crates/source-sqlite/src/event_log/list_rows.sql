-- ?1: a trigger, or null; ?2: `all`, `pending`, `delivered` or `failed`; ?3: how many. The newest first.
SELECT id, trigger_name, state, tries, time, status
FROM (
    SELECT
        id, trigger_name, tries, created_at AS time,
        CASE
            WHEN delivered THEN 'delivered'
            WHEN error THEN 'failed'
            WHEN archived THEN 'archived'
            WHEN locked IS NOT NULL THEN 'in progress'
            ELSE 'pending'
        END AS state,
        (
            SELECT status FROM thalweg_event_invocation_logs AS i
            WHERE i.event_id = thalweg_event_log.id ORDER BY i.id DESC LIMIT 1
        ) AS status
    FROM thalweg_event_log
)
WHERE (?1 IS NULL OR trigger_name = ?1)
    AND (?2 = 'all' OR state = ?2 OR ?2 = 'pending' AND state = 'in progress')
ORDER BY time DESC
LIMIT ?3
