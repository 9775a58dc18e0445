-- As list_rows.sql; the comment is in place of a trigger.
SELECT id, trigger_name, state, tries, time, status
FROM (
    SELECT
        id, coalesce(comment, '') AS trigger_name, tries, scheduled_time AS time,
        CASE e.status
            WHEN 'scheduled' THEN 'pending'
            WHEN 'locked' THEN 'in progress'
            WHEN 'error' THEN 'failed'
            ELSE e.status
        END AS state,
        (
            SELECT status FROM thalweg_scheduled_event_invocation_logs AS i
            WHERE i.event_id = e.id ORDER BY i.id DESC LIMIT 1
        ) AS status
    FROM thalweg_scheduled_events AS e
)
WHERE (?1 IS NULL OR trigger_name = ?1)
    AND (?2 = 'all' OR state = ?2 OR ?2 = 'pending' AND state = 'in progress')
ORDER BY time DESC
LIMIT ?3
