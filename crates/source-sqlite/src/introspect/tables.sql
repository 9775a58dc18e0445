-- Thalweg's own tables begin with thalweg_, and are left out.
-- Reading sqlite_schema opens the snapshot, and has SQLite read the schema again if it changed.
-- Views and virtual tables have no root page. pragma_table_list alone tells shadow tables; it is
-- asked only if there can be some, as it takes long where a view is broken.
SELECT
    s.name,
    CASE
        WHEN s.type = 'view' THEN 'view'
        WHEN s.rootpage = 0 THEN 'virtual'
        WHEN EXISTS (SELECT 1 FROM main.sqlite_schema AS v WHERE v.type = 'table' AND v.rootpage = 0)
            AND s.name IN (
                SELECT l.name FROM pragma_table_list AS l
                WHERE l.schema = 'main' AND l.type = 'shadow'
            ) THEN 'shadow'
        ELSE 'table'
    END
FROM main.sqlite_schema AS s
WHERE s.type IN ('table', 'view')
    AND lower(substr(s.name, 1, 7)) <> 'sqlite_'
    AND lower(substr(s.name, 1, 8)) <> 'thalweg_'
ORDER BY s.name
