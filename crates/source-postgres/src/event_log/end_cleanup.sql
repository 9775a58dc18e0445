-- $1: id; $2: the new status; $3, $4: numbers of removed events and invocations.
update hdb_catalog.hdb_event_log_cleanups
set status = $2, deleted_event_logs = $3::int8, deleted_event_invocation_logs = $4::int8
where id = $1
