-- Claims of servers that have ended.
UPDATE thalweg_event_log SET locked = NULL
WHERE locked IS NOT NULL AND delivered = 0 AND error = 0 AND archived = 0;
UPDATE thalweg_cron_events SET status = 'scheduled', next_retry_at = NULL WHERE status = 'locked';
UPDATE thalweg_scheduled_events SET status = 'scheduled', next_retry_at = NULL
WHERE status = 'locked';
