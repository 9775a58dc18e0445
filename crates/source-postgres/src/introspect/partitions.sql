-- $1: oids of relations.
-- Of each partitioned table how many partitions hold its rows, and the foreign keys that stand on
-- these and not on the table itself: with the columns by their numbers in the table, and how many of
-- the partitions have the same. The first row of a table has no foreign key.
with leaves as materialized (
  select wanted.oid as root, tree.relid as leaf
  from unnest($1::oid[]) as wanted (oid)
  join pg_class as rel on rel.oid = wanted.oid and rel.relkind = 'p'
  cross join lateral pg_partition_tree(wanted.oid) as tree
  where tree.isleaf
),
keys as (
  select leaves.root, leaves.leaf, con.conname, con.confrelid, con.confkey, own.columns
  from leaves
  join pg_constraint as con on con.conrelid = leaves.leaf and con.contype = 'f'
  cross join lateral (
    select
      array_agg(of_root.attnum order by col.place) as columns,
      array_agg(of_leaf.attname order by col.place) as names
    from unnest(con.conkey) with ordinality as col (number, place)
    join pg_attribute as of_leaf
      on of_leaf.attrelid = leaves.leaf and of_leaf.attnum = col.number
    join pg_attribute as of_root
      on of_root.attrelid = leaves.root
      and of_root.attname = of_leaf.attname
      and not of_root.attisdropped
  ) as own
  -- A key to a partitioned table has one more to each partition of that.
  where not exists (
    select 1
    from pg_constraint as whole
    where whole.oid = con.conparentid and whole.conrelid = con.conrelid
  )
  and not exists (
    select 1
    from pg_constraint as shared
    where shared.conrelid = leaves.root
      and shared.contype = 'f'
      and shared.confrelid = con.confrelid
      and shared.confkey = con.confkey
      and shared.conkey = own.columns
  )
)
select
  root, null::name as conname, '{}'::int2[] as columns, 0::oid as confrelid,
  '{}'::int2[] as confkey, false as partition, ''::name as target_namespace, ''::name as target_name,
  count(*) as number
from leaves
group by root
union all
select
  keys.root, min(keys.conname::text)::name, keys.columns, keys.confrelid, keys.confkey,
  target.relispartition, namespace.nspname, target.relname, count(distinct keys.leaf)
from keys
join pg_class as target on target.oid = keys.confrelid
join pg_namespace as namespace on namespace.oid = target.relnamespace
group by
  keys.root, keys.columns, keys.confrelid, keys.confkey, target.relispartition, namespace.nspname,
  target.relname
order by root, columns, confrelid, confkey
