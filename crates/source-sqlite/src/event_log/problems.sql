-- ?1: wanted triggers as JSON. The reasons why some cannot be created.
WITH wanted AS (
    SELECT
        one.value ->> 'name' AS name,
        one.value ->> 'table' AS table_name,
        one.value ->> 'op' AS op,
        one.value -> 'compared' AS compared,
        one.value -> 'payload' AS payload
    FROM json_each(?1) AS one
),
found AS (
    SELECT wanted.*, s.type
    FROM wanted
    LEFT JOIN main.sqlite_schema AS s
        ON s.name = wanted.table_name COLLATE NOCASE AND s.type IN ('table', 'view')
),
mentioned AS (
    SELECT found.*, c.value AS column_name
    FROM found
    JOIN json_each(CASE WHEN json_type(found.compared) = 'array' THEN found.compared ELSE '[]' END) AS c
    WHERE found.op = 'UPDATE'
    UNION
    SELECT found.*, c.value
    FROM found
    JOIN json_each(CASE WHEN json_type(found.payload) = 'array' THEN found.payload ELSE '[]' END) AS c
)
SELECT DISTINCT printf('the event trigger "%s": there is no table "%s"', name, table_name)
FROM found
WHERE type IS NULL
UNION
SELECT printf(
    'the event trigger "%s": "%s" is no table, and only changes of the rows of tables are events',
    name, table_name
)
FROM found
WHERE type = 'view'
UNION
SELECT printf(
    'the event trigger "%s": the table "%s" has more than 400 columns in its events; '
    || 'name those of the payload', name, table_name
)
FROM found
WHERE type = 'table'
    AND json_type(payload) IS NOT 'array'
    AND (SELECT count(*) FROM pragma_table_xinfo(found.table_name, 'main')) > 400
UNION
SELECT printf('the event trigger "%s": the table "%s" has no column "%s"',
    name, table_name, column_name)
FROM mentioned
WHERE type = 'table'
    AND NOT EXISTS (
        SELECT 1 FROM pragma_table_xinfo(mentioned.table_name, 'main') AS c
        WHERE c.name = mentioned.column_name COLLATE NOCASE
    )
ORDER BY 1
