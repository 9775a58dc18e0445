-- $1: relations. A text that differs after a change of their definitions, and of permissions: of what
-- decides, besides rows, what a session reads of them. Statistics and storage are not part of it, and
-- another replica identity is in the stream itself.
select pg_catalog.md5(concat_ws(
  '|',
  (
    select string_agg(
      concat_ws(
        ':', oid, relname, relnamespace, relkind, relpersistence, relowner, relacl, relrowsecurity,
        relforcerowsecurity, relreplident <> 'n', reloptions
      ),
      ',' order by oid
    )
    from pg_catalog.pg_class
    where oid = any ($1::oid[])
  ),
  (
    select string_agg(concat_ws(':', attrelid, attnum, xmin), ',' order by attrelid, attnum)
    from pg_catalog.pg_attribute
    where attrelid = any ($1::oid[])
  ),
  (
    select string_agg(concat_ws(':', oid, xmin), ',' order by oid)
    from pg_catalog.pg_policy
    where polrelid = any ($1::oid[])
  ),
  (
    select string_agg(concat_ws(':', oid, xmin), ',' order by oid)
    from pg_catalog.pg_rewrite
    where ev_class = any ($1::oid[])
  ),
  (
    select string_agg(concat_ws(':', pro.oid, pro.xmin), ',' order by pro.oid)
    from pg_catalog.pg_rewrite as rew
    join pg_catalog.pg_depend as dep
      on dep.classid = 'pg_catalog.pg_rewrite'::regclass and dep.objid = rew.oid
    join pg_catalog.pg_proc as pro
      on dep.refclassid = 'pg_catalog.pg_proc'::regclass and dep.refobjid = pro.oid
    where rew.ev_class = any ($1::oid[])
  ),
  (
    select string_agg(concat_ws(':', inhrelid, inhparent), ',' order by inhrelid, inhparent)
    from pg_catalog.pg_inherits
    where inhparent = any ($1::oid[])
      or inhrelid = any ($1::oid[])
  ),
  (
    select string_agg(concat_ws(':', indexrelid, indisvalid, indimmediate), ',' order by indexrelid)
    from pg_catalog.pg_index
    where indrelid = any ($1::oid[])
      and (indisprimary or indisreplident)
  ),
  (
    select string_agg(concat_ws(':', tgrelid, tgname, tgenabled), ',' order by tgrelid, tgname)
    from pg_catalog.pg_trigger
    where tgrelid = any ($1::oid[])
      and tgname ~ '^thalweg_live_'
  ),
  (
    select string_agg(concat_ws(':', own.oid, own.xmin), ',' order by own.oid)
    from pg_catalog.pg_publication as pub
    join pg_catalog.pg_publication_rel as own on own.prpubid = pub.oid
    where pub.pubname = 'thalweg_live'
      and own.prrelid = any ($1::oid[])
  ),
  (
    select string_agg(concat_ws(':', oid, nspname, nspacl), ',' order by oid)
    from pg_catalog.pg_namespace
    where oid in (select relnamespace from pg_catalog.pg_class where oid = any ($1::oid[]))
  ),
  (
    -- A new role without them is of no importance to sessions.
    select string_agg(concat_ws(':', oid, rolsuper, rolbypassrls, rolinherit), ',' order by oid)
    from pg_catalog.pg_roles
    where rolsuper
      or rolbypassrls
      or not rolinherit
  ),
  (
    select string_agg(
      concat_ws(':', roleid, member, grantor, xmin), ',' order by roleid, member, grantor
    )
    from pg_catalog.pg_auth_members
  )
))
