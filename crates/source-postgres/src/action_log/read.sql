-- $1: id; $2: name of the action; $3: session variables as JSON, null for everybody's.
select
  to_json(created_at)::text,
  response_payload::text,
  errors::text
from hdb_catalog.hdb_action_log
where id = $1::text::uuid and action_name = $2
  and ($3::text is null or session_variables = $3::text::jsonb)
