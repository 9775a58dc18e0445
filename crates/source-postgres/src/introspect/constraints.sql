-- $1: oids of relations.
-- The order of PostGraphile: its names and fields depend on which constraint comes first. A
-- constraint with a parent repeats that of a partitioned table for one of its partitions.
-- Only PostgreSQL 18 has the column conperiod (a foreign key that compares periods by
-- containment): the name means that column where there is one, and else that of the row around.
-- To read it through the row's JSON would cost more than all the rest.
-- A constraint that is not valid, or not enforced, says nothing of the rows that were there before.
-- It says nothing of rows of tables that inherit either, but those of partitions.
select
  con.conrelid,
  con.conname,
  con.contype,
  con.condeferrable,
  con.conkey,
  con.confrelid,
  coalesce(con.confkey, '{}') as confkey,
  con.period,
  target_namespace.nspname as target_namespace,
  target.relname as target_name,
  coalesce(target.relispartition, false) as partition,
  con.convalidated
    and not coalesce(target.relrowsecurity, true)
    and (own.relkind = 'p' or not own.relhassubclass) as always_found,
  comment.description
from (values (false)) as older (conperiod)
cross join lateral (
  select
    every.oid,
    every.conrelid,
    every.conname,
    every.contype,
    every.condeferrable,
    every.convalidated,
    every.conkey,
    every.confrelid,
    every.confkey,
    conperiod as period
  from pg_constraint as every
  where every.contype in ('p', 'u', 'f')
    and every.conparentid = 0
) as con
join unnest($1::oid[]) as wanted (oid) on wanted.oid = con.conrelid
join pg_class as own on own.oid = con.conrelid
left join pg_class as target on target.oid = con.confrelid
left join pg_namespace as target_namespace on target_namespace.oid = target.relnamespace
left join pg_description as comment
  on comment.objoid = con.oid
  and comment.classoid = 'pg_constraint'::regclass
order by con.conrelid, con.conkey, con.confrelid, con.confkey, con.conname
