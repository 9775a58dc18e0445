-- Has the database say that a schema was changed, where that is not so already. Only a superuser may;
-- `drop schema thalweg_watch cascade` takes all of it back.
do $watch$
begin
  if (
    select count(*) < 2
    from pg_event_trigger
    where evtname in ('thalweg_watch_ddl', 'thalweg_watch_drop')
      and evtenabled <> 'D'
  ) then
    -- Whoever made the schema could put a function of their own in the place of this one, and it
    -- would run with the rights of everybody who changes something.
    if exists (
      select 1
      from pg_namespace
        join pg_roles on pg_roles.oid = nspowner
      where nspname = 'thalweg_watch'
        and rolname <> current_user
        and not rolsuper
    ) then
      raise insufficient_privilege using message = 'the schema thalweg_watch is somebody else''s';
    end if;
    create schema if not exists thalweg_watch;
    create or replace function thalweg_watch.tell() returns event_trigger
    language plpgsql set search_path to pg_catalog, pg_temp
    as $tell$ begin perform pg_notify('thalweg_watch', ''); end $tell$;
    drop event trigger if exists thalweg_watch_ddl;
    drop event trigger if exists thalweg_watch_drop;
    create event trigger thalweg_watch_ddl on ddl_command_end
      execute function thalweg_watch.tell();
    create event trigger thalweg_watch_drop on sql_drop
      execute function thalweg_watch.tell();
  end if;
end
$watch$
