-- The session neither leads nor follows.
unlisten thalweg_live_1;
unlisten thalweg_live_1_hello;
select pg_catalog.pg_advisory_unlock_all()
