-- Announces a follower: the leader relays changes while a session has this lock. Returns the process
-- of the session.
select pg_catalog.pg_try_advisory_lock_shared(1953265511, 2), pg_catalog.pg_backend_pid()
