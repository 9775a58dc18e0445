-- Whether this session is the one that is woken.
select pg_catalog.pg_try_advisory_lock(1414289223, 1)
