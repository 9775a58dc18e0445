-- As clean_invocations.sql.
DELETE FROM thalweg_event_log WHERE id IN (
    SELECT id FROM thalweg_event_log
    WHERE trigger_name = ?1 AND (delivered = 1 OR error = 1) AND locked IS NULL
        AND created_at < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('-%f seconds', ?2))
    ORDER BY created_at, id
    LIMIT ?3
)
