select pg_catalog.pg_is_in_recovery()
