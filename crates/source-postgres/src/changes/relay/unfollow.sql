select pg_catalog.pg_advisory_unlock_shared(1953265511, 2)
