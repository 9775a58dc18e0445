-- As finish_rows.sql.
with invocation as (
  insert into hdb_catalog.hdb_cron_event_invocation_logs (event_id, status, request, response)
  select id, $4::integer, $5::text::json, $6::text::json
  from hdb_catalog.hdb_cron_events
  where id = $1
)
update hdb_catalog.hdb_cron_events
set
  tries = tries + 1,
  status = case $2 when 'delivered' then 'delivered' when 'failed' then 'error' else 'scheduled' end,
  next_retry_at = case when $2 = 'retry' then now() + make_interval(secs => $3::float8) end
where id = $1
