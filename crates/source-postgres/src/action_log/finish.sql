-- $1: id; $2: response, or null; $3: error, or null, as JSON. An action that another server has finished
-- stays as it is.
update hdb_catalog.hdb_action_log
set
  response_payload = $2::text::jsonb,
  errors = $3::text::jsonb,
  response_received_at = now(),
  status = case when $3::text is null then 'completed' else 'error' end
where id = $1::text::uuid and status = 'processing'
