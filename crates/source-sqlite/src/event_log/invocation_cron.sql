INSERT INTO thalweg_cron_event_invocation_logs (event_id, status, request, response)
SELECT id, ?2, ?3, ?4 FROM thalweg_cron_events WHERE id = ?1
