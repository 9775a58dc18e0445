-- The log of asynchronous actions. Names and columns are those that Hasura gave a database that it
-- served, so that its log goes on; the time of a claim is an own column.
create schema if not exists hdb_catalog;

create table if not exists hdb_catalog.hdb_action_log (
  id uuid primary key default pg_catalog.gen_random_uuid(),
  action_name text,
  input_payload jsonb not null,
  request_headers jsonb not null,
  session_variables jsonb not null,
  response_payload jsonb,
  errors jsonb,
  created_at timestamptz not null default now(),
  response_received_at timestamptz,
  status text not null,
  check (status in ('created', 'processing', 'completed', 'error'))
);
alter table hdb_catalog.hdb_action_log add column if not exists thalweg_claimed_at timestamptz;
create index if not exists thalweg_unfinished_actions
  on hdb_catalog.hdb_action_log (created_at) where status in ('created', 'processing')
