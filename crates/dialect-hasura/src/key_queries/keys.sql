SELECT k.number::int AS _number, :columns
FROM pg_catalog.json_array_elements({{:keys}}) WITH ORDINALITY AS k(value, number)
-- A value that its column cannot have is equal to none of it: it must be neither rounded nor refused.
CROSS JOIN LATERAL pg_catalog.json_populate_record(NULL:::row, CASE WHEN EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    CROSS JOIN LATERAL pg_catalog.json_extract_path_text(k.value, a.attname::text) AS v(text)
    WHERE a.attrelid = :table::pg_catalog.regclass AND a.attnum > 0 AND a.atttypmod > 3
        AND CASE a.atttypid
            WHEN 'pg_catalog.varchar'::pg_catalog.regtype
                THEN pg_catalog.length(v.text) > a.atttypmod - 4
            WHEN 'pg_catalog.bpchar'::pg_catalog.regtype
                THEN pg_catalog.length(pg_catalog.rtrim(v.text)) > a.atttypmod - 4
            WHEN 'pg_catalog.numeric'::pg_catalog.regtype THEN (
                SELECT v.text::numeric <> pg_catalog.round(v.text::numeric, m.scale)
                    OR pg_catalog.abs(v.text::numeric)
                        >= pg_catalog.power(10::numeric, m.precision - m.scale)
                FROM (SELECT (a.atttypmod - 4) >> 16 & 65535 AS precision,
                    ((a.atttypmod - 4) & 2047 # 1024) - 1024 AS scale) AS m
            )
            ELSE false
        END
) THEN '{}'::json ELSE k.value END) AS r
