-- $1: a trigger, or null; $2: `all`, `pending`, `delivered` or `failed`; $3: how many. The newest first.
select id, trigger_name, state, tries, time, status
from (
  select
    id, trigger_name, tries, created_at,
    case
      when delivered then 'delivered'
      when error then 'failed'
      when archived then 'archived'
      when locked is not null then 'in progress'
      else 'pending'
    end as state,
    to_char(created_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as time,
    (
      select status from hdb_catalog.event_invocation_logs as invocation
      where invocation.event_id = event_log.id
      order by invocation.created_at desc
      limit 1
    ) as status
  from hdb_catalog.event_log
) as event
where ($1::text is null or trigger_name = $1)
  and ($2 = 'all' or state = $2 or $2 = 'pending' and state = 'in progress')
order by created_at desc
limit $3
