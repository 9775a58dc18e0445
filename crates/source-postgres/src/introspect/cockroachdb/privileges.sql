-- $1: oids of relations. $2: oids of the namespaces of functions.
-- The same columns as in ../privileges.sql. CockroachDB has no lists of rights in its catalogs, and no
-- rights of columns; functions tell what the user and the roles that it can become may do.
with reached (oid) as (
  select rol.oid
  from pg_roles as rol
  where pg_has_role(current_user, rol.oid, 'MEMBER')
)
select
  false as of_function,
  rel.oid,
  0::int2 as attnum,
  (
    case when bool_or(has_table_privilege(reached.oid, rel.oid, 'SELECT')) then 1 else 0 end
    + case when bool_or(has_table_privilege(reached.oid, rel.oid, 'INSERT')) then 2 else 0 end
    + case when bool_or(has_table_privilege(reached.oid, rel.oid, 'UPDATE')) then 4 else 0 end
    + case when bool_or(has_table_privilege(reached.oid, rel.oid, 'DELETE')) then 8 else 0 end
  )::int4 as bits
from unnest($1::oid[]) as rel (oid)
cross join reached
group by rel.oid
union all
select
  true,
  pro.oid,
  0::int2,
  (case when bool_or(has_function_privilege(reached.oid, pro.oid, 'EXECUTE')) then 16 else 0 end)::int4
from pg_proc as pro
cross join reached
where pro.pronamespace = any ($2::oid[])
group by pro.oid
