select pg_catalog.pg_advisory_unlock(1414289223, 2)
