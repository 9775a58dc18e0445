select pg_catalog.pg_advisory_xact_lock(1414289223, 3)
