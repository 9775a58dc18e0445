-- $1: tables. The statement that publishes those of them that are not published yet; null if there are
-- none. A table without a replica identity is not published: its updates and deletes would fail. Nor
-- is one of another owner. Partitions are published themselves: `truncate` of a partition is not in the
-- changes of its parent. `only`: tables that inherit may have no replica identity.
with known as (
  select
    oid,
    puballtables,
    coalesce((to_jsonb(pub) ->> 'pubviaroot')::boolean, false) as has_roots
  from pg_catalog.pg_publication as pub
  where pubname = 'thalweg_live'
),
wanted as (
  select nsp.nspname, rel.relname
  from pg_catalog.pg_class as rel
  join pg_catalog.pg_namespace as nsp on nsp.oid = rel.relnamespace
  where rel.oid = any ($1::oid[])
    and pg_catalog.pg_has_role(rel.relowner, 'usage')
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
    and not exists (select from known where puballtables)
    and not exists (
      select
      from pg_catalog.pg_publication_rel as own
      join known on known.oid = own.prpubid
      where own.prrelid = rel.oid
    )
)
select concat_ws(
  '; ',
  (
    select 'alter publication thalweg_live set (publish_via_partition_root = false)'
    from known
    where has_roots
      and not puballtables
  ),
  (
    select
      case when exists (select from known)
        then 'alter publication thalweg_live add table '
        else 'create publication thalweg_live for table '
      end
      || string_agg(format('only %I.%I', nspname, relname), ', ' order by nspname, relname)
    from wanted
  )
)
