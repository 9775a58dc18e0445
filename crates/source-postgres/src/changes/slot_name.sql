select 'thalweg_live_' || pg_catalog.pg_backend_pid()
