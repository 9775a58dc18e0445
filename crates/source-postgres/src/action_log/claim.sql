-- $1: how many; $2: names of actions; $3: seconds after which a claim has ended.
update hdb_catalog.hdb_action_log as claimed
set status = 'processing', thalweg_claimed_at = now()
where id in (
  select one.id
  from hdb_catalog.hdb_action_log as one
  join unnest($2::text[], $3::float8[]) as wanted (name, lease) on wanted.name = one.action_name
  where one.status = 'created'
    or (
      one.status = 'processing'
      and coalesce(one.thalweg_claimed_at, one.created_at)
        < now() - make_interval(secs => wanted.lease)
    )
  order by one.created_at
  limit $1
  for update of one skip locked
)
returning id::text, action_name, input_payload::text, request_headers::text, session_variables::text
