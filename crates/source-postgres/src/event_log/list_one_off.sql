-- As list_rows.sql; the comment is in place of a trigger.
select id, coalesce(comment, ''), state, tries, time, status
from (
  select
    id, comment, tries, scheduled_time,
    case one.status
      when 'scheduled' then 'pending'
      when 'locked' then 'in progress'
      when 'error' then 'failed'
      else one.status
    end as state,
    to_char(timezone('utc', scheduled_time), 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as time,
    (
      select status from hdb_catalog.hdb_scheduled_event_invocation_logs as invocation
      where invocation.event_id = one.id
      order by invocation.created_at desc
      limit 1
    ) as status
  from hdb_catalog.hdb_scheduled_events as one
) as event
where ($1::text is null or comment = $1)
  and ($2 = 'all' or state = $2 or $2 = 'pending' and state = 'in progress')
order by scheduled_time desc
limit $3
