UPDATE thalweg_scheduled_events SET status = 'scheduled', next_retry_at = NULL
WHERE id IN (SELECT value FROM json_each(?1)) AND status = 'locked'
