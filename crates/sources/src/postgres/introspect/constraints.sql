-- $1: oids of relations.
-- The order of PostGraphile: its names and fields depend on which constraint comes first. A
-- constraint with a parent repeats that of a partitioned table for one of its partitions.
-- Only PostgreSQL 18 has the column conperiod (a foreign key that compares periods by
-- containment), so it is read through the row's JSON.
select
  con.conrelid,
  con.conname,
  con.contype,
  con.conkey,
  con.confrelid,
  coalesce(con.confkey, '{}') as confkey,
  coalesce((to_jsonb(con) ->> 'conperiod')::bool, false) as period,
  target_namespace.nspname as target_namespace,
  target.relname as target_name,
  coalesce(target.relispartition, false) as partition,
  comment.description
from unnest($1::oid[]) as wanted (oid)
join pg_constraint as con on con.conrelid = wanted.oid
left join pg_class as target on target.oid = con.confrelid
left join pg_namespace as target_namespace on target_namespace.oid = target.relnamespace
left join pg_description as comment
  on comment.objoid = con.oid
  and comment.classoid = 'pg_constraint'::regclass
where con.contype in ('p', 'u', 'f')
  and con.conparentid = 0
order by con.conrelid, con.conkey, con.confrelid, con.confkey, con.conname
