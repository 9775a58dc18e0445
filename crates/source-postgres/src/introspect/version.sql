-- The only statement that runs before the version is known to be new enough. The second column tells
-- whether Citus distributes tables of this database.
select
  current_setting('server_version_num')::int4,
  to_regclass('pg_catalog.pg_dist_partition') is not null
