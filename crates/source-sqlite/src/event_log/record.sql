-- ?1: new events as a JSON array, each with its schema, table and trigger, in their order.
INSERT INTO thalweg_event_log (schema_name, table_name, trigger_name, payload)
SELECT
    value ->> 'schema_name', value ->> 'table_name', value ->> 'trigger_name', json_object(
        'op', 'SUBSCRIPTION', 'data', json(value -> 'event'), 'session_variables', NULL,
        'trace_context', NULL
    )
FROM json_each(?1)
ORDER BY key
