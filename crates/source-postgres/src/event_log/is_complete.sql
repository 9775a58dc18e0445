-- Whether the log and its functions are there.
select
  not exists (
    select from unnest(array[
      'event_log', 'event_invocation_logs', 'hdb_event_log_cleanups', 'hdb_cron_events',
      'hdb_cron_event_invocation_logs', 'hdb_scheduled_events',
      'hdb_scheduled_event_invocation_logs'
    ]) as name
    where to_regclass('hdb_catalog.' || name) is null
  )
  and exists (
    select from pg_catalog.pg_trigger
    where tgrelid = to_regclass('hdb_catalog.event_log') and tgname = 'thalweg_wake'
  )
  and exists (
    select from pg_catalog.pg_attribute
    where attrelid = to_regclass('hdb_catalog.event_invocation_logs') and attname = 'trigger_name'
  )
  and not exists (
    select from pg_catalog.pg_constraint
    where conrelid = to_regclass('hdb_catalog.event_invocation_logs')
      and conname = 'event_invocation_logs_event_id_fkey'
  )
