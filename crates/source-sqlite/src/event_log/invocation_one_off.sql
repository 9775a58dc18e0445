INSERT INTO thalweg_scheduled_event_invocation_logs (event_id, status, request, response)
SELECT id, ?2, ?3, ?4 FROM thalweg_scheduled_events WHERE id = ?1
