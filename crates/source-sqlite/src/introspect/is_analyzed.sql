-- Whether ANALYZE ever ran.
SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE name = 'sqlite_stat1')
