-- Whether the log is there.
SELECT count(*) = 7
FROM main.sqlite_schema
WHERE type = 'table' AND name IN (
    'thalweg_event_log', 'thalweg_event_invocation_logs', 'thalweg_event_log_cleanups',
    'thalweg_cron_events', 'thalweg_cron_event_invocation_logs', 'thalweg_scheduled_events',
    'thalweg_scheduled_event_invocation_logs'
)
