-- ?1: id; ?2: status; ?3, ?4: JSON of the request and of the response.
INSERT INTO thalweg_event_invocation_logs (trigger_name, event_id, status, request, response)
SELECT trigger_name, id, ?2, ?3, ?4 FROM thalweg_event_log WHERE id = ?1
