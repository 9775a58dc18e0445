#!/bin/sh
# The role by which Thalweg reads and changes the tables of the schema `public`: what it may not do, no
# request can.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$READER_PASSWORD" --username "$POSTGRES_USER" \
    --dbname "$POSTGRES_DB" <<'SQL'
CREATE ROLE reader LOGIN PASSWORD :'password';
GRANT USAGE ON SCHEMA public TO reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO reader;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO reader;
SQL
