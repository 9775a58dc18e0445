-- $1: the process of the leader's session. Ends it, if it is still the leader's.
select pg_catalog.pg_terminate_backend(lck.pid)
from pg_catalog.pg_locks as lck
where lck.pid = $1
  and lck.locktype = 'advisory'
  and lck.database = (
    select dat.oid from pg_catalog.pg_database as dat
    where dat.datname = pg_catalog.current_database()
  )
  and lck.classid = 1953265511
  and lck.objid = 1
  and lck.objsubid = 2
