-- The leader does not receive its own messages, and is no follower any more.
unlisten thalweg_live_1;
select pg_catalog.pg_advisory_unlock_shared(1953265511, 2)
where exists (
  select
  from pg_catalog.pg_locks as lck
  where lck.pid = pg_catalog.pg_backend_pid()
    and lck.locktype = 'advisory'
    and lck.classid = 1953265511
    and lck.objid = 2
    and lck.objsubid = 2
)
