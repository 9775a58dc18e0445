-- $1: name of the action; $2: input; $3: headers; $4: session variables, as JSON.
insert into hdb_catalog.hdb_action_log
  (action_name, input_payload, request_headers, session_variables, status)
values ($1, $2::text::jsonb, $3::text::jsonb, $4::text::jsonb, 'created')
returning id::text
