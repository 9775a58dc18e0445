-- $1: a trigger; $2: seconds; $3: how many; $4: whether invocations are removed, too. Returns the
-- numbers of removed events and invocations.
with old as (
  select id
  from hdb_catalog.event_log
  where trigger_name = $1
    and (delivered or error)
    and locked is null
    and created_at < timezone('utc', now()) - make_interval(secs => $2::float8)
  limit $3
  for update skip locked
),
invocations as (
  delete from hdb_catalog.event_invocation_logs
  where $4 and event_id in (select id from old)
  returning 1
),
events as (
  delete from hdb_catalog.event_log where id in (select id from old) returning 1
)
select (select count(*) from events), (select count(*) from invocations)
