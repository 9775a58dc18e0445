-- ?1: id; ?2: response, or null; ?3: error, or null, as JSON. An action that another server has finished
-- stays as it is.
UPDATE thalweg_action_log
SET response_payload = ?2,
    errors = ?3,
    response_received_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),
    status = CASE WHEN ?3 IS NULL THEN 'completed' ELSE 'error' END
WHERE id = ?1 AND status = 'processing'
