-- SQLite keeps the statement that made a trigger, and says nowhere else when it runs.
SELECT s.tbl_name, s.sql
FROM main.sqlite_schema AS s
WHERE s.type = 'trigger' AND s.sql IS NOT NULL
ORDER BY s.tbl_name, s.name
