-- $1: names of namespaces, which do not matter. YugabyteDB counts the changes of the schema of each
-- database, or of all databases together in the first row; the rows of its catalogs have no
-- transactions that wrote them.
select coalesce(string_agg(version.current_version::text, ' ' order by version.db_oid), '')
  || coalesce(repeat('', cardinality($1::text[])), '')
from pg_yb_catalog_version as version
where version.db_oid = 1
  or version.db_oid = (select dat.oid from pg_database as dat where dat.datname = current_database())
