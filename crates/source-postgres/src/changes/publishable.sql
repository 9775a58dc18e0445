-- $1: tables. Those that a stream of the log reports once it has begun: they are published already, or
-- `publish.sql` would publish them.
select rel.oid
from pg_catalog.pg_class as rel
where rel.oid = any ($1::oid[])
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
  and case
    when exists (
      select
      from pg_catalog.pg_publication as pub
      join pg_catalog.pg_namespace as nsp on nsp.oid = rel.relnamespace
      join pg_catalog.pg_publication_tables as own
        on own.pubname = pub.pubname and own.schemaname = nsp.nspname and own.tablename = rel.relname
      where pub.pubname = 'thalweg_live'
    ) then exists (
      select
      from pg_catalog.pg_publication as pub
      where pub.pubname = 'thalweg_live'
        and pub.pubinsert
        and pub.pubupdate
        and pub.pubdelete
        and pub.pubtruncate
        -- A list of columns, or a condition, of PostgreSQL 15.
        and not exists (
          select
          from pg_catalog.pg_publication_rel as part
          where part.prpubid = pub.oid
            and part.prrelid = rel.oid
            and (to_jsonb(part) ->> 'prattrs' is not null or to_jsonb(part) ->> 'prqual' is not null)
        )
    )
    else pg_catalog.pg_has_role(rel.relowner, 'usage')
  end
