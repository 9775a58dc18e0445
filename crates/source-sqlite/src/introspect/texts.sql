-- The statements that made things, as SQLite keeps them. An index that SQLite made by itself has none.
SELECT s.type, s.name, s.tbl_name, s.sql
FROM main.sqlite_schema AS s
WHERE s.sql IS NOT NULL AND s.type IN ('table', 'index', 'view', 'trigger')
ORDER BY s.tbl_name, s.name
