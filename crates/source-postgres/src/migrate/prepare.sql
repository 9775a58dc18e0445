create schema if not exists thalweg;
-- The ids of all tables.
create sequence if not exists thalweg.id;
create table if not exists thalweg.migrations (
  number bigint generated always as identity primary key,
  applied_at timestamptz not null default now(),
  definitions text not null,
  tables jsonb not null,
  statements text not null
);
