-- ?1: name of the action; ?2: input; ?3: headers; ?4: session variables, as JSON.
INSERT INTO thalweg_action_log
    (action_name, input_payload, request_headers, session_variables, status)
VALUES (?1, ?2, ?3, ?4, 'created')
RETURNING id
