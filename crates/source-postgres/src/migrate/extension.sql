-- $1: the name of an extension.
select
  exists (select from pg_extension where extname = $1) as installed,
  has_database_privilege(current_database(), 'create')
  and exists (
    select
    from pg_available_extension_versions as own
    where own.name = $1
      and (
        not own.superuser
        or own.trusted
        or (select rolsuper from pg_roles where rolname = current_user)
      )
  ) as creatable
