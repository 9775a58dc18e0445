-- As list_rows.sql, but without times to come.
select id, trigger_name, state, tries, time, status
from (
  select
    id, trigger_name, tries, scheduled_time,
    case cron.status
      when 'scheduled' then 'pending'
      when 'locked' then 'in progress'
      when 'error' then 'failed'
      else cron.status
    end as state,
    to_char(timezone('utc', scheduled_time), 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as time,
    (
      select status from hdb_catalog.hdb_cron_event_invocation_logs as invocation
      where invocation.event_id = cron.id
      order by invocation.created_at desc
      limit 1
    ) as status
  from hdb_catalog.hdb_cron_events as cron
  where scheduled_time <= now()
) as event
where ($1::text is null or trigger_name = $1)
  and ($2 = 'all' or state = $2 or $2 = 'pending' and state = 'in progress')
order by scheduled_time desc
limit $3
