-- Thalweg's own triggers do not change the rows that fire them, and are left out.
-- SQLite keeps the statement that made a trigger, and says nowhere else when it runs.
SELECT s.tbl_name, s.sql
FROM main.sqlite_schema AS s
WHERE s.type = 'trigger' AND s.sql IS NOT NULL
  AND lower(substr(s.name, 1, 8)) <> 'thalweg_'
ORDER BY s.tbl_name, s.name
