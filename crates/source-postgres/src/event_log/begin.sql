-- Whether no other server delivers events of this database.
select pg_catalog.pg_try_advisory_lock(1414289223, 2)
