-- As finish_rows.sql.
UPDATE thalweg_cron_events
SET
    tries = tries + 1,
    status = CASE ?2 WHEN 'delivered' THEN 'delivered' WHEN 'failed' THEN 'error' ELSE 'scheduled' END,
    next_retry_at = CASE WHEN ?2 = 'retry'
        THEN strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('+%f seconds', ?3)) END
WHERE id = ?1
