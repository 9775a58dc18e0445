-- ?1: webhook; ?2: microseconds since 1970; ?3: retries; ?4: payload; ?5: headers; ?6: comment.
INSERT INTO thalweg_scheduled_events
    (webhook_conf, scheduled_time, retry_conf, payload, header_conf, comment)
VALUES (
    json_quote(?1), strftime('%Y-%m-%dT%H:%M:%fZ', ?2 / 1000000.0, 'unixepoch'), ?3, ?4, ?5, ?6
)
RETURNING id
