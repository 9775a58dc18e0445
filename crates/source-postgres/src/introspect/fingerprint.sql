-- $1: names of namespaces. A text that is another once something was changed that an API of these is
-- made from: most rows of the catalogs by the transaction that wrote them, tables by what they say,
-- since TRUNCATE and VACUUM FULL write their rows too.
with served as (
  select nsp.oid, nsp.nspname, nsp.nspacl
  from pg_namespace as nsp
  where nsp.nspname = any ($1::text[])
),
tables as (
  select rel.*
  from pg_class as rel
  where rel.relnamespace in (select served.oid from served)
),
passing as (
  select nsp.oid
  from pg_namespace as nsp
  where nsp.nspname like 'pg\_temp\_%' or nsp.nspname like 'pg\_toast\_temp\_%'
),
parts (kind, hash) as (
  select 1, hashtextextended(concat_ws('|', served.oid, served.nspname, served.nspacl), 1)
  from served
  union all
  select 2, hashtextextended(
    concat_ws(
      '|', rel.oid, rel.relname, rel.relnamespace, rel.reltype, rel.relkind, rel.relispartition,
      rel.relrowsecurity, rel.relowner, rel.relacl, rel.reloptions
    ),
    2
  )
  from tables as rel
  union all
  select 3, hashint8extended((att.attrelid::int8 << 32) | att.xmin::text::int8, att.attnum)
  from pg_attribute as att
  where att.attnum > 0 and att.attrelid in (select tables.oid from tables)
  union all
  select 4, hashint8extended((pro.oid::int8 << 32) | pro.xmin::text::int8, 4)
  from pg_proc as pro
  where pro.pronamespace in (select served.oid from served)
  union all
  select 5, hashint8extended((typ.oid::int8 << 32) | typ.xmin::text::int8, 5)
  from pg_type as typ
  where typ.oid >= 16384
    and typ.typnamespace not in (select passing.oid from passing)
  union all
  select 6, hashint8extended((enu.oid::int8 << 32) | enu.xmin::text::int8, 6)
  from pg_enum as enu
  union all
  select 7, hashint8extended((con.oid::int8 << 32) | con.xmin::text::int8, 7)
  from pg_constraint as con
  where con.contypid <> 0 or con.conrelid in (select tables.oid from tables)
  union all
  select 8, hashint8extended((ind.indexrelid::int8 << 32) | ind.xmin::text::int8, 8)
  from pg_index as ind
  where ind.indrelid in (select tables.oid from tables)
  union all
  select 9, hashint8extended((des.objoid::int8 << 32) | des.xmin::text::int8, des.objsubid)
  from pg_description as des
  where des.objoid >= 16384
  union all
  select 10, hashint8extended((mem.roleid::int8 << 32) | mem.xmin::text::int8, mem.member::int8)
  from pg_auth_members as mem
  union all
  select 11, hashint8extended((tgr.oid::int8 << 32) | tgr.xmin::text::int8, 11)
  from pg_trigger as tgr
  where not tgr.tgisinternal and tgr.tgrelid in (select tables.oid from tables)
  union all
  select 12, hashint8extended((rew.oid::int8 << 32) | rew.xmin::text::int8, 12)
  from pg_rewrite as rew
  where rew.ev_class in (select tables.oid from tables)
)
select
  string_agg(
    concat_ws(' ', per_kind.kind, per_kind.number, per_kind.sum), ', ' order by per_kind.kind
  ),
  to_regclass('pg_catalog.pg_dist_partition') is not null
from (
  select parts.kind, count(*) as number, sum(parts.hash) as sum
  from parts
  group by parts.kind
) as per_kind
