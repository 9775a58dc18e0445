-- The process of the leader's session.
select lck.pid
from pg_catalog.pg_locks as lck
where lck.locktype = 'advisory'
  and lck.database = (
    select dat.oid from pg_catalog.pg_database as dat
    where dat.datname = pg_catalog.current_database()
  )
  and lck.classid = 1953265511
  and lck.objid = 1
  and lck.objsubid = 2
  and lck.granted
