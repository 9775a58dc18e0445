-- $1: id; $2: seconds after which a claim has ended. Null if there is no such event, false if a server
-- is delivering it.
with found as (
  select id, locked is null or locked < now() - make_interval(secs => $2::float8) as is_free
  from hdb_catalog.event_log
  where id = $1
),
changed as (
  update hdb_catalog.event_log
  set delivered = false, error = false, archived = false, tries = 0, next_retry_at = null,
    locked = null
  where id in (select id from found where is_free)
)
select is_free from found
