-- Whether the log is there.
select exists (
  select from pg_catalog.pg_attribute
  where attrelid = to_regclass('hdb_catalog.hdb_action_log') and attname = 'thalweg_claimed_at'
)
