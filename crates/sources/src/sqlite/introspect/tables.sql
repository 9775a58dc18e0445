-- Reading sqlite_schema first opens the snapshot and refreshes what the connection remembers of
-- the schema; pragma_table_list alone does neither. A trigger may have the name of a table.
SELECT l.name, l.type
FROM pragma_table_list AS l
JOIN main.sqlite_schema AS s ON s.name = l.name AND s.type IN ('table', 'view')
WHERE l.schema = 'main' AND lower(substr(l.name, 1, 7)) <> 'sqlite_'
ORDER BY l.name
