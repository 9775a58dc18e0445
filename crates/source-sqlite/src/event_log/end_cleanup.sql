-- ?1: id; ?2: the new status; ?3, ?4: numbers of removed events and invocations.
UPDATE thalweg_event_log_cleanups
SET status = ?2, deleted_event_logs = ?3, deleted_event_invocation_logs = ?4
WHERE id = ?1
