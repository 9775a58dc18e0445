-- Names mean the system's own objects, whatever the session's search path is.
set search_path to pg_catalog, pg_temp;
set jit to off;
listen thalweg_watch
