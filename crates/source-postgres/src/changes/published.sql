-- $1: tables. Those whose changes are all in the stream, with the values of the replica identity.
select rel.oid
from pg_catalog.pg_publication as pub
join pg_catalog.pg_publication_tables as own on own.pubname = pub.pubname
join pg_catalog.pg_namespace as nsp on nsp.nspname = own.schemaname
join pg_catalog.pg_class as rel on rel.relnamespace = nsp.oid and rel.relname = own.tablename
where pub.pubname = 'thalweg_live'
  and pub.pubinsert
  and pub.pubupdate
  and pub.pubdelete
  and pub.pubtruncate
  and rel.oid = any ($1::oid[])
  and (
    rel.relreplident = 'f'
    or exists (
      select
      from pg_catalog.pg_index as ind
      where ind.indrelid = rel.oid
        and case rel.relreplident
          when 'i' then ind.indisreplident
          when 'd' then ind.indisprimary
          else false
        end
    )
  )
  -- A list of columns, or a condition, of PostgreSQL 15.
  and not exists (
    select
    from pg_catalog.pg_publication_rel as part
    where part.prpubid = pub.oid
      and part.prrelid = rel.oid
      and (to_jsonb(part) ->> 'prattrs' is not null or to_jsonb(part) ->> 'prqual' is not null)
  )
