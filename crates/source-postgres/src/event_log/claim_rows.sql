-- $1: how many; $2: names of triggers; $3: seconds after which a claim has ended.
update hdb_catalog.event_log as claimed
set locked = now()
where id in (
  select one.id
  from hdb_catalog.event_log as one
  join unnest($2::text[], $3::float8[]) as wanted (name, lease) on wanted.name = one.trigger_name
  where one.delivered = 'f' and one.error = 'f' and one.archived = 'f'
    and (one.locked is null or one.locked < now() - make_interval(secs => wanted.lease))
    and (one.next_retry_at is null or one.next_retry_at <= timezone('utc', now()))
  order by one.locked nulls first, one.next_retry_at nulls first, one.created_at
  limit $1
  for update of one skip locked
)
returning id, trigger_name, schema_name, table_name, payload::text, tries,
  to_char(coalesce(created_at, timezone('utc', now())), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
