-- The log of events. Times are texts as of ISO 8601 in UTC, which sort as the times do.
CREATE TABLE IF NOT EXISTS thalweg_event_log (
    id TEXT PRIMARY KEY DEFAULT (lower(printf(
        '%s-%s-4%s-%s%s-%s', hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2),
        substr('89AB', 1 + abs(random() % 4), 1), substr(hex(randomblob(2)), 2), hex(randomblob(6))
    ))),
    schema_name TEXT NOT NULL,
    table_name TEXT NOT NULL,
    trigger_name TEXT NOT NULL,
    payload TEXT NOT NULL,
    delivered INTEGER NOT NULL DEFAULT 0,
    error INTEGER NOT NULL DEFAULT 0,
    tries INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    locked TEXT,
    next_retry_at TEXT,
    archived INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS thalweg_event_log_due ON thalweg_event_log (created_at)
WHERE delivered = 0 AND error = 0 AND archived = 0;
CREATE INDEX IF NOT EXISTS thalweg_event_log_trigger ON thalweg_event_log (trigger_name);

CREATE TABLE IF NOT EXISTS thalweg_event_invocation_logs (
    id INTEGER PRIMARY KEY,
    trigger_name TEXT,
    event_id TEXT NOT NULL,
    status INTEGER,
    request TEXT,
    response TEXT,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
CREATE INDEX IF NOT EXISTS thalweg_event_invocation_logs_event
ON thalweg_event_invocation_logs (event_id);

CREATE TABLE IF NOT EXISTS thalweg_event_log_cleanups (
    id INTEGER PRIMARY KEY,
    trigger_name TEXT NOT NULL,
    scheduled_at TEXT NOT NULL,
    deleted_event_logs INTEGER,
    deleted_event_invocation_logs INTEGER,
    status TEXT NOT NULL CHECK (status IN ('scheduled', 'paused', 'completed', 'dead')),
    UNIQUE (trigger_name, scheduled_at)
);

CREATE TABLE IF NOT EXISTS thalweg_cron_events (
    id TEXT PRIMARY KEY DEFAULT (lower(printf(
        '%s-%s-4%s-%s%s-%s', hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2),
        substr('89AB', 1 + abs(random() % 4), 1), substr(hex(randomblob(2)), 2), hex(randomblob(6))
    ))),
    trigger_name TEXT NOT NULL,
    scheduled_time TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'scheduled'
        CHECK (status IN ('scheduled', 'locked', 'delivered', 'error', 'dead')),
    tries INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    next_retry_at TEXT,
    UNIQUE (trigger_name, scheduled_time)
);
CREATE INDEX IF NOT EXISTS thalweg_cron_events_due ON thalweg_cron_events (scheduled_time)
WHERE status IN ('scheduled', 'locked');

CREATE TABLE IF NOT EXISTS thalweg_cron_event_invocation_logs (
    id INTEGER PRIMARY KEY,
    event_id TEXT NOT NULL REFERENCES thalweg_cron_events (id) ON DELETE CASCADE,
    status INTEGER,
    request TEXT,
    response TEXT,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
CREATE INDEX IF NOT EXISTS thalweg_cron_event_invocation_logs_event
ON thalweg_cron_event_invocation_logs (event_id);

CREATE TABLE IF NOT EXISTS thalweg_scheduled_events (
    id TEXT PRIMARY KEY DEFAULT (lower(printf(
        '%s-%s-4%s-%s%s-%s', hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2),
        substr('89AB', 1 + abs(random() % 4), 1), substr(hex(randomblob(2)), 2), hex(randomblob(6))
    ))),
    webhook_conf TEXT NOT NULL,
    scheduled_time TEXT NOT NULL,
    retry_conf TEXT,
    payload TEXT,
    header_conf TEXT,
    status TEXT NOT NULL DEFAULT 'scheduled'
        CHECK (status IN ('scheduled', 'locked', 'delivered', 'error', 'dead')),
    tries INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    next_retry_at TEXT,
    comment TEXT
);
CREATE INDEX IF NOT EXISTS thalweg_scheduled_events_due ON thalweg_scheduled_events (scheduled_time)
WHERE status IN ('scheduled', 'locked');

CREATE TABLE IF NOT EXISTS thalweg_scheduled_event_invocation_logs (
    id INTEGER PRIMARY KEY,
    event_id TEXT NOT NULL REFERENCES thalweg_scheduled_events (id) ON DELETE CASCADE,
    status INTEGER,
    request TEXT,
    response TEXT,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
CREATE INDEX IF NOT EXISTS thalweg_scheduled_event_invocation_logs_event
ON thalweg_scheduled_event_invocation_logs (event_id);
