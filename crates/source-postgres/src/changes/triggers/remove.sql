drop function if exists thalweg_live.notify() cascade;
drop schema if exists thalweg_live;
