-- $1: the name of a schema.
select exists (select from pg_namespace where nspname = $1)
