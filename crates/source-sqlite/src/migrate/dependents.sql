-- Indexes and triggers, which go with a table that is rebuilt.
SELECT name, tbl_name, sql
FROM main.sqlite_schema
WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND lower(substr(name, 1, 8)) <> 'thalweg_'
ORDER BY rowid
