-- $1: oids of relations. $2: oids of the namespaces of functions.
-- What the roles may do that the user of this connection is or can become: of tables and views as
-- wholes (attnum 0), of their columns, and of functions. In bits: 1 select, 2 insert, 4 update,
-- 8 delete, 16 execute. One thing may have several rows.
with recursive reached (oid) as (
  select rol.oid
  from pg_roles as rol
  where rol.rolname = current_user
  union
  select further.oid
  from reached
  cross join lateral (
    select mem.roleid
    from pg_auth_members as mem
    where mem.member = reached.oid
    union all
    -- The owner of a database is a member without being listed.
    select rol.oid
    from pg_database as db
    inner join pg_roles as rol on rol.rolname = 'pg_database_owner'
    where db.datname = current_database() and db.datdba = reached.oid
  ) as further (oid)
),
-- Rights that are in no list of rights.
unlisted as (
  select
    coalesce(bool_or(rol.rolsuper), false) as everything,
    coalesce(bool_or(rol.rolname = 'pg_read_all_data'), false) as reads,
    coalesce(bool_or(rol.rolname = 'pg_write_all_data'), false) as writes
  from pg_roles as rol
  where rol.oid in (select reached.oid from reached)
),
listed (of_function, oid, attnum, grantee, privilege) as (
  select false, rel.oid, 0::int2, acl.grantee, acl.privilege_type
  from pg_class as rel
  cross join lateral aclexplode(coalesce(rel.relacl, acldefault('r', rel.relowner))) as acl
  where rel.oid = any ($1::oid[])
  union all
  select false, att.attrelid, att.attnum, acl.grantee, acl.privilege_type
  from pg_attribute as att
  cross join lateral aclexplode(att.attacl) as acl
  where att.attrelid = any ($1::oid[])
    and att.attacl is not null
    and att.attnum > 0
    and not att.attisdropped
  union all
  select true, pro.oid, 0::int2, acl.grantee, acl.privilege_type
  from pg_proc as pro
  cross join lateral aclexplode(coalesce(pro.proacl, acldefault('f', pro.proowner))) as acl
  where pro.pronamespace = any ($2::oid[])
)
select
  listed.of_function,
  listed.oid,
  listed.attnum,
  bit_or(
    case listed.privilege
      when 'SELECT' then 1
      when 'INSERT' then 2
      when 'UPDATE' then 4
      when 'DELETE' then 8
      when 'EXECUTE' then 16
      else 0
    end
  ) as bits
from listed
-- 0 is PUBLIC.
where listed.grantee = 0 or listed.grantee in (select reached.oid from reached)
group by listed.of_function, listed.oid, listed.attnum
union all
select
  false,
  rel.oid,
  0::int2,
  case
    when unlisted.everything then 15
    else unlisted.reads::int4 + 14 * unlisted.writes::int4
  end
from unlisted
cross join unnest($1::oid[]) as rel (oid)
where unlisted.everything or unlisted.reads or unlisted.writes
union all
select true, pro.oid, 0::int2, 16
from unlisted
cross join pg_proc as pro
where unlisted.everything and pro.pronamespace = any ($2::oid[])
