-- ?1: wanted triggers as JSON. The statements that create, change and remove triggers, each with its
-- reason, in the order in which they run.
WITH wanted AS (
    SELECT
        one.value ->> 'name' AS name,
        coalesce(one.value ->> 'schema', 'main') AS schema_name,
        s.name AS table_name,
        one.value ->> 'op' AS op,
        one.value -> 'compared' AS compared,
        one.value -> 'payload' AS payload,
        'thalweg_event_' || (one.value ->> 'name') || '_' || (one.value ->> 'op') AS trigger_name
    FROM json_each(?1) AS one
    JOIN main.sqlite_schema AS s
        ON s.type = 'table' AND s.name = (one.value ->> 'table') COLLATE NOCASE
),
-- JSON has neither bytes nor values of the declared types that SQLite keeps as numbers and texts.
columns AS (
    SELECT
        wanted.trigger_name,
        c.cid,
        c.name AS column_name,
        CASE
            WHEN lower(c.type) IN ('bool', 'boolean') THEN
                'WHEN %s IS 0 THEN json(''false'') WHEN %s IS 1 THEN json(''true'') '
            WHEN lower(c.type) IN ('json', 'jsonb') THEN
                'WHEN json_valid(%s, 9) THEN json(%s) '
            ELSE ''
        END AS form,
        json_type(wanted.compared) IS NOT 'array'
        OR EXISTS (
            SELECT 1 FROM json_each(wanted.compared) AS l WHERE l.value = c.name COLLATE NOCASE
        ) AS is_compared,
        json_type(wanted.payload) IS NOT 'array'
        OR EXISTS (
            SELECT 1 FROM json_each(wanted.payload) AS l WHERE l.value = c.name COLLATE NOCASE
        ) AS is_payload
    FROM wanted
    JOIN pragma_table_xinfo(wanted.table_name, 'main') AS c
    WHERE c.hidden <> 1
),
part AS (
    SELECT
        trigger_name,
        group_concat(
            printf('old."%w" IS NOT new."%w" COLLATE BINARY', column_name, column_name), ' OR '
            ORDER BY cid
        ) FILTER (WHERE is_compared) AS change,
        group_concat(
            printf('%Q, CASE ', column_name)
            || printf(form, printf('old."%w"', column_name), printf('old."%w"', column_name))
            || printf(
                'WHEN typeof(old."%w") = ''blob'' THEN ''\x'' || lower(hex(old."%w")) '
                || 'ELSE old."%w" END', column_name, column_name, column_name
            ), ', '
            ORDER BY cid
        ) FILTER (WHERE is_payload) AS old_values,
        group_concat(
            printf('%Q, CASE ', column_name)
            || printf(form, printf('new."%w"', column_name), printf('new."%w"', column_name))
            || printf(
                'WHEN typeof(new."%w") = ''blob'' THEN ''\x'' || lower(hex(new."%w")) '
                || 'ELSE new."%w" END', column_name, column_name, column_name
            ), ', '
            ORDER BY cid
        ) FILTER (WHERE is_payload) AS new_values
    FROM columns
    GROUP BY trigger_name
),
body AS (
    SELECT
        wanted.trigger_name,
        printf('CREATE TRIGGER "%w" AFTER %s ON "%w" FOR EACH ROW%s', wanted.trigger_name, wanted.op,
            wanted.table_name,
            CASE WHEN wanted.op = 'UPDATE' THEN ' WHEN ' || coalesce(part.change, '0') ELSE '' END)
        || char(10) || 'BEGIN' || char(10)
        || printf(
            'INSERT INTO thalweg_event_log (schema_name, table_name, trigger_name, payload) '
            || 'VALUES (%Q, %Q, %Q, json_object(''op'', %Q, ''data'', '
            || 'json_object(''old'', %s, ''new'', %s), '
            || '''session_variables'', NULL, ''trace_context'', NULL));',
            wanted.schema_name, wanted.table_name, wanted.name, wanted.op,
            CASE WHEN wanted.op = 'INSERT' THEN 'NULL'
                ELSE 'json_object(' || coalesce(part.old_values, '') || ')' END,
            CASE WHEN wanted.op = 'DELETE' THEN 'NULL'
                ELSE 'json_object(' || coalesce(part.new_values, '') || ')' END
        )
        || char(10) || 'END' AS sql
    FROM wanted
    JOIN part USING (trigger_name)
),
existing AS (
    SELECT
        s.name AS trigger_name,
        substr(s.name, 15, length(s.name) - 21) AS name,
        s.sql
    FROM main.sqlite_schema AS s
    WHERE s.type = 'trigger'
        AND substr(s.name, 1, 14) = 'thalweg_event_'
        AND substr(s.name, -7) IN ('_INSERT', '_UPDATE', '_DELETE')
)
SELECT reason, statement
FROM (
    SELECT
        1 AS place,
        trigger_name,
        printf('the trigger "%s" is not wanted any more', trigger_name) AS reason,
        printf('DROP TRIGGER "%w"', trigger_name) AS statement
    FROM existing
    WHERE trigger_name NOT IN (SELECT trigger_name FROM wanted)
    UNION ALL
    SELECT DISTINCT
        2,
        name,
        printf('events of "%s" are not delivered any more', name),
        printf(
            'UPDATE thalweg_event_log SET archived = 1 WHERE trigger_name = %Q AND archived = 0', name
        )
    FROM existing
    WHERE name NOT IN (SELECT name FROM wanted)
    UNION ALL
    SELECT
        3,
        trigger_name,
        printf('the trigger "%s" is another one', trigger_name),
        printf('DROP TRIGGER "%w"', trigger_name)
    FROM existing
    JOIN body USING (trigger_name)
    WHERE existing.sql <> body.sql
    UNION ALL
    SELECT
        4,
        trigger_name,
        printf('the trigger "%s" is missing', trigger_name),
        sql
    FROM body
    WHERE NOT EXISTS (
        SELECT 1 FROM existing
        WHERE existing.trigger_name = body.trigger_name AND existing.sql = body.sql
    )
)
ORDER BY place, trigger_name
