-- ?1: pairs of the name of an action and the seconds after which a claim has ended, as JSON; ?2: how
-- many.
UPDATE thalweg_action_log
SET status = 'processing', claimed_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
WHERE id IN (
    SELECT one.id
    FROM thalweg_action_log AS one
    JOIN json_each(?1) AS wanted ON json_extract(wanted.value, '$[0]') = one.action_name
    WHERE one.status = 'created'
        OR (
            one.status = 'processing'
            AND (julianday('now') - julianday(coalesce(one.claimed_at, one.created_at))) * 86400.0
                > json_extract(wanted.value, '$[1]')
        )
    ORDER BY one.created_at
    LIMIT ?2
)
RETURNING id, action_name, input_payload, request_headers, session_variables
