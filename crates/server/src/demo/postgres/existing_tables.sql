SELECT class.relname::text
FROM pg_catalog.pg_class AS class
JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
WHERE namespace.nspname = 'public' AND class.relname = ANY ($1)
ORDER BY class.relname;
