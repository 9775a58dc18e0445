-- Whether this session is the leader's: one has the lock, as long as it lives. The keys of the locks
-- are the letters "tlwg" as a number, and 1 for the leader or 2 for followers.
select pg_catalog.pg_try_advisory_lock(1953265511, 1)
