-- $1: a process. Whether its session may read what this one may: locks and messages are open to all
-- roles of a database. No row if it has ended.
select act.usesysid = own.oid
  or rol.rolsuper
  or rol.rolreplication
  or pg_catalog.pg_has_role(rol.oid, own.oid, 'usage')
from pg_catalog.pg_stat_get_activity($1) as act
join pg_catalog.pg_roles as rol on rol.oid = act.usesysid
join pg_catalog.pg_roles as own on own.rolname = session_user
