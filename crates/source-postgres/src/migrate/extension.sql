-- $1: the name of an extension, $2: the numbers of its oldest version that can be used.
select
  exists (
    select
    from pg_extension
    where extname = $1
      and string_to_array(substring(extversion from '^[0-9]+(?:[.][0-9]+)*'), '.')::int[] >= $2
  ) as installed,
  not exists (select from pg_extension where extname = $1)
  and has_database_privilege(current_database(), 'create')
  and exists (
    select
    from pg_available_extensions as available
    join pg_available_extension_versions as own
      on own.name = available.name and own.version = available.default_version
    where available.name = $1
      and string_to_array(substring(own.version from '^[0-9]+(?:[.][0-9]+)*'), '.')::int[] >= $2
      and (
        not own.superuser
        or own.trusted
        or (select rolsuper from pg_roles where rolname = current_user)
      )
  ) as creatable
