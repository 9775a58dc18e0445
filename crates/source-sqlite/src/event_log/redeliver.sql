-- ?1: id; ?2: seconds after which a claim has ended.
UPDATE thalweg_event_log
SET delivered = 0, error = 0, archived = 0, tries = 0, next_retry_at = NULL, locked = NULL
WHERE id = ?1
    AND (
        locked IS NULL
        OR locked < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('-%f seconds', ?2))
    )
