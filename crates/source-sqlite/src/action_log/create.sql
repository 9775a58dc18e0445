-- The log of asynchronous actions. Columns are those of Hasura's log; times are texts as of ISO 8601 in
-- UTC, which sort as the times do.
CREATE TABLE IF NOT EXISTS thalweg_action_log (
    id TEXT PRIMARY KEY DEFAULT (lower(printf(
        '%s-%s-4%s-%s%s-%s', hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2),
        substr('89AB', 1 + abs(random() % 4), 1), substr(hex(randomblob(2)), 2), hex(randomblob(6))
    ))),
    action_name TEXT NOT NULL,
    input_payload TEXT NOT NULL,
    request_headers TEXT NOT NULL,
    session_variables TEXT NOT NULL,
    response_payload TEXT,
    errors TEXT,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    response_received_at TEXT,
    status TEXT NOT NULL CHECK (status IN ('created', 'processing', 'completed', 'error')),
    claimed_at TEXT
);
CREATE INDEX IF NOT EXISTS thalweg_action_log_unfinished ON thalweg_action_log (created_at)
WHERE status IN ('created', 'processing');
