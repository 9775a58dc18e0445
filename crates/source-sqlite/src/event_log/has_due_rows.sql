-- ?1: names of triggers and seconds after which a claim has ended, as JSON.
SELECT EXISTS (
    SELECT 1
    FROM thalweg_event_log AS e
    JOIN json_each(?1) AS wanted ON wanted.value ->> 'name' = e.trigger_name
    WHERE e.delivered = 0 AND e.error = 0 AND e.archived = 0
        AND (
            e.locked IS NULL
            OR e.locked < strftime('%Y-%m-%dT%H:%M:%fZ', 'now',
                printf('-%f seconds', wanted.value ->> 'lease'))
        )
        AND (e.next_retry_at IS NULL OR e.next_retry_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
)
