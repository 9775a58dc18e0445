-- ?1: ids, as JSON.
UPDATE thalweg_action_log SET status = 'created', claimed_at = NULL
WHERE id IN (SELECT value FROM json_each(?1)) AND status = 'processing'
