-- ?1: id; ?2: name of the action; ?3: session variables as JSON, null for everybody's.
SELECT json_quote(created_at), response_payload, errors
FROM thalweg_action_log
WHERE id = ?1 AND action_name = ?2 AND (?3 IS NULL OR session_variables = ?3)
