-- Whether there are followers, in this database.
select exists (
  select
  from pg_catalog.pg_locks as lck
  where lck.locktype = 'advisory'
    and lck.database = (
      select dat.oid from pg_catalog.pg_database as dat
      where dat.datname = pg_catalog.current_database()
    )
    and lck.classid = 1953265511
    and lck.objid = 2
    and lck.objsubid = 2
)
