-- $1: schemas. The tables and views of an API.
select nsp.nspname, rel.relname
from pg_catalog.pg_class as rel
join pg_catalog.pg_namespace as nsp on nsp.oid = rel.relnamespace
where nsp.nspname = any ($1::text[])
  and rel.relkind in ('r', 'p', 'v')
order by nsp.nspname, rel.relname
