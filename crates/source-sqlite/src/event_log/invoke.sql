-- ?1: schema; ?2: table; ?3: trigger; ?4: JSON of the old and the new row. Returns the id of the event.
INSERT INTO thalweg_event_log (schema_name, table_name, trigger_name, payload)
VALUES (?1, ?2, ?3, json_object(
    'op', 'MANUAL', 'data', json(?4), 'session_variables', NULL, 'trace_context', NULL
))
RETURNING id
