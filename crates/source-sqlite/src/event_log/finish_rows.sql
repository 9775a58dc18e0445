-- ?1: id; ?2: `delivered`, `retry` or `failed`; ?3: seconds until the next attempt.
UPDATE thalweg_event_log
SET
    tries = tries + 1,
    locked = NULL,
    delivered = ?2 = 'delivered',
    error = ?2 = 'failed',
    next_retry_at = CASE WHEN ?2 = 'retry'
        THEN strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('+%f seconds', ?3)) END
WHERE id = ?1
