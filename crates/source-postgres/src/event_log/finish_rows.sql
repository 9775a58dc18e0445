-- $1: id; $2: `delivered`, `retry` or `failed`; $3: seconds until the next attempt; $4: status;
-- $5, $6: JSON of the request and of the response.
with invocation as (
  insert into hdb_catalog.event_invocation_logs
    (trigger_name, event_id, status, request, response, created_at)
  select trigger_name, id, $4::integer, $5::text::json, $6::text::json, timezone('utc', now())
  from hdb_catalog.event_log
  where id = $1
)
update hdb_catalog.event_log
set
  tries = tries + 1,
  locked = null,
  delivered = $2 = 'delivered',
  error = $2 = 'failed',
  next_retry_at = case when $2 = 'retry'
    then timezone('utc', now()) + make_interval(secs => $3::float8)
  end
where id = $1
