-- The published tables without row security: a policy may read other rows.
select nsp.nspname, rel.relname
from pg_catalog.pg_publication_tables as own
join pg_catalog.pg_namespace as nsp on nsp.nspname = own.schemaname
join pg_catalog.pg_class as rel on rel.relnamespace = nsp.oid and rel.relname = own.tablename
where own.pubname = 'thalweg_live'
  and not rel.relrowsecurity
