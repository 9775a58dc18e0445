-- $1: schemas. Those that do not exist.
select name from unnest($1::text[]) as name
where not exists (select from pg_catalog.pg_namespace as nsp where nsp.nspname = name)
