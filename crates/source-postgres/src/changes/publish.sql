-- $1, $2: schemas and names of tables. The statement that publishes those of them that are not
-- published yet; null if there are none. A table without a replica identity is not published: its
-- updates and deletes would fail. Nor is one of another owner.
with wanted as (
  select rel.oid, nsp.nspname, rel.relname
  from unnest($1::text[], $2::text[]) as wanted (namespace, name)
  join pg_catalog.pg_namespace as nsp on nsp.nspname = wanted.namespace
  join pg_catalog.pg_class as rel on rel.relnamespace = nsp.oid and rel.relname = wanted.name
  where rel.relkind in ('r', 'p')
    and rel.relpersistence = 'p'
    and not rel.relispartition
    and pg_catalog.pg_has_role(rel.relowner, 'usage')
    and (
      rel.relreplident in ('f', 'i')
      or rel.relreplident = 'd'
      and exists (
        select from pg_catalog.pg_index as ind where ind.indrelid = rel.oid and ind.indisprimary
      )
    )
),
known as (
  select oid, puballtables from pg_catalog.pg_publication where pubname = 'thalweg_live'
)
select
  case when exists (select from known)
    then 'alter publication thalweg_live add table '
    else 'create publication thalweg_live for table '
  end
  || string_agg(format('%I.%I', nspname, relname), ', ' order by nspname, relname)
  || case when exists (select from known)
    then ''
    else ' with (publish_via_partition_root = true)'
  end
from wanted
where not exists (select from known where puballtables)
  and not exists (
    select
    from pg_catalog.pg_publication_rel as own
    join known on known.oid = own.prpubid
    where own.prrelid = wanted.oid
  )
