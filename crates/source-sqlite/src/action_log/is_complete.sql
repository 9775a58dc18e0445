-- Whether the log is there.
SELECT EXISTS (
    SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = 'thalweg_action_log_unfinished'
)
