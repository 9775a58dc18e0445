-- The log of events and its functions. Names and columns are those that Hasura gave a database that it
-- served, so that its log goes on. Whatever exists already stays.
create schema if not exists hdb_catalog;

do $body$
begin
  if to_regprocedure('hdb_catalog.gen_hasura_uuid()') is null then
    create function hdb_catalog.gen_hasura_uuid() returns uuid language sql as $function$
      select pg_catalog.gen_random_uuid()
    $function$;
  end if;
end
$body$;

create table if not exists hdb_catalog.event_log (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  schema_name text not null,
  table_name text not null,
  trigger_name text not null,
  payload jsonb not null,
  delivered boolean not null default false,
  error boolean not null default false,
  tries integer not null default 0,
  created_at timestamp default now(),
  locked timestamptz,
  next_retry_at timestamp,
  archived boolean not null default false
);
create index if not exists event_log_trigger_name_idx on hdb_catalog.event_log (trigger_name);
create index if not exists event_log_fetch_events
  on hdb_catalog.event_log (locked nulls first, next_retry_at nulls first, created_at)
  where delivered = 'f' and error = 'f' and archived = 'f';

create table if not exists hdb_catalog.event_invocation_logs (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  trigger_name text,
  event_id text,
  status integer,
  request json,
  response json,
  created_at timestamp default now()
);
-- Older versions have neither the column nor a log that outlives its events.
alter table hdb_catalog.event_invocation_logs add column if not exists trigger_name text;
alter table hdb_catalog.event_invocation_logs
  drop constraint if exists event_invocation_logs_event_id_fkey;
create index if not exists event_invocation_logs_event_id_idx
  on hdb_catalog.event_invocation_logs (event_id);

create table if not exists hdb_catalog.hdb_event_log_cleanups (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  trigger_name text not null,
  scheduled_at timestamp not null,
  deleted_event_logs integer,
  deleted_event_invocation_logs integer,
  status text not null check (status in ('scheduled', 'paused', 'completed', 'dead')),
  unique (trigger_name, scheduled_at)
);

create table if not exists hdb_catalog.hdb_cron_events (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  trigger_name text not null,
  scheduled_time timestamptz not null,
  status text not null default 'scheduled',
  tries integer not null default 0,
  created_at timestamptz default now(),
  next_retry_at timestamptz,
  constraint valid_status
    check (status in ('scheduled', 'locked', 'delivered', 'error', 'dead'))
);
create index if not exists hdb_cron_event_status on hdb_catalog.hdb_cron_events (status);
create unique index if not exists hdb_cron_events_unique_scheduled
  on hdb_catalog.hdb_cron_events (trigger_name, scheduled_time) where status = 'scheduled';

create table if not exists hdb_catalog.hdb_cron_event_invocation_logs (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  event_id text references hdb_catalog.hdb_cron_events (id) on update cascade on delete cascade,
  status integer,
  request json,
  response json,
  created_at timestamptz default now()
);
create index if not exists hdb_cron_event_invocation_event_id
  on hdb_catalog.hdb_cron_event_invocation_logs (event_id);

create table if not exists hdb_catalog.hdb_scheduled_events (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  webhook_conf json not null,
  scheduled_time timestamptz not null,
  retry_conf json,
  payload json,
  header_conf json,
  status text not null default 'scheduled',
  tries integer not null default 0,
  created_at timestamptz default now(),
  next_retry_at timestamptz,
  comment text,
  constraint valid_status
    check (status in ('scheduled', 'locked', 'delivered', 'error', 'dead'))
);
create index if not exists hdb_scheduled_event_status on hdb_catalog.hdb_scheduled_events (status);

create table if not exists hdb_catalog.hdb_scheduled_event_invocation_logs (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  event_id text references hdb_catalog.hdb_scheduled_events (id) on update cascade on delete cascade,
  status integer,
  request json,
  response json,
  created_at timestamptz default now()
);

do $body$
begin
  if to_regprocedure('hdb_catalog.insert_event_log(text, text, text, text, json)') is null then
    create function hdb_catalog.insert_event_log(
      schema_name text, table_name text, trigger_name text, op text, row_data json
    ) returns text language plpgsql as $function$
    declare
      event_id text := hdb_catalog.gen_hasura_uuid();
    begin
      insert into hdb_catalog.event_log
        (id, schema_name, table_name, trigger_name, payload, created_at)
      values (
        event_id, schema_name, table_name, trigger_name,
        jsonb_build_object(
          'op', op,
          'data', row_data,
          -- A setting that was set once in a session is empty afterwards.
          'session_variables', nullif(current_setting('hasura.user', true), '')::jsonb,
          'trace_context', nullif(current_setting('hasura.tracecontext', true), '')::jsonb
        ),
        timezone('utc', now())
      );
      return event_id;
    end
    $function$;
  end if;
end
$body$;

-- Wakes a server that waits for events. It holds a lock meanwhile: without one, nothing is sent, since
-- notifications make the transactions that send them commit one after the other.
create or replace function hdb_catalog.thalweg_wake() returns trigger language plpgsql as $function$
begin
  if pg_catalog.pg_try_advisory_lock_shared(1414289223, 1) then
    perform pg_catalog.pg_advisory_unlock_shared(1414289223, 1);
  else
    perform pg_catalog.pg_notify('thalweg_events', '');
  end if;
  return null;
end
$function$;

do $body$
begin
  if not exists (
    select from pg_catalog.pg_trigger
    where tgrelid = 'hdb_catalog.event_log'::regclass and tgname = 'thalweg_wake'
  ) then
    create trigger thalweg_wake after insert on hdb_catalog.event_log
      for each statement execute function hdb_catalog.thalweg_wake();
  end if;
end
$body$;
