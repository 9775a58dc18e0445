-- ?1: ids of claimed events that are not delivered now, as JSON.
UPDATE thalweg_event_log SET locked = NULL
WHERE id IN (SELECT value FROM json_each(?1)) AND delivered = 0 AND error = 0
