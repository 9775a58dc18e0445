-- Whether logical replication is possible: the level of the log, and the rights of the role.
select
  current_setting('wal_level') = 'logical',
  (select rolreplication or rolsuper from pg_catalog.pg_roles where rolname = current_user),
  pg_catalog.pg_is_in_recovery()
