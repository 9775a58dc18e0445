-- The published tables without row security: a policy may read other rows. Tables with a column
-- whose collation takes different texts for equal ones are left out, too, and those whose rows are
-- also in tables that inherit from them.
select nsp.nspname, rel.relname
from pg_catalog.pg_publication_tables as own
join pg_catalog.pg_namespace as nsp on nsp.nspname = own.schemaname
join pg_catalog.pg_class as rel on rel.relnamespace = nsp.oid and rel.relname = own.tablename
where own.pubname = 'thalweg_live'
  and not rel.relrowsecurity
  and not (
    rel.relkind = 'r'
    and exists (select from pg_catalog.pg_inherits as inh where inh.inhparent = rel.oid)
  )
  and not exists (
    select
    from pg_catalog.pg_attribute as att
    join pg_catalog.pg_collation as col on col.oid = att.attcollation
    where att.attrelid = rel.oid
      and not col.collisdeterministic
  )
