SELECT k.number::int AS _number, :columns
FROM pg_catalog.json_array_elements({{:keys}}) WITH ORDINALITY AS k(value, number)
-- A domain that is NOT NULL refuses the columns that are no keys, unless a row has values for them.
CROSS JOIN (SELECT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    JOIN pg_catalog.pg_type AS y ON y.oid = a.atttypid
    WHERE a.attrelid = :table::pg_catalog.regclass AND a.attnum > 0 AND y.typtype = 'd'
) AS has_domain) AS d
-- A null is equal to nothing. A value that its column cannot have is equal to none of it: it must be
-- neither rounded nor refused.
CROSS JOIN LATERAL (SELECT NOT EXISTS (
    SELECT FROM pg_catalog.json_each_text(k.value) AS v(name, text)
    LEFT JOIN pg_catalog.pg_attribute AS a
        ON a.attrelid = :table::pg_catalog.regclass AND a.attname::text = v.name AND a.attnum > 0
    LEFT JOIN pg_catalog.pg_type AS y ON y.oid = a.atttypid AND y.typtype = 'd'
    CROSS JOIN LATERAL (SELECT
        COALESCE(NULLIF(y.typbasetype, 0), a.atttypid) AS type,
        CASE WHEN y.oid IS NULL THEN a.atttypmod ELSE y.typtypmod END AS typmod) AS b
    WHERE v.text IS NULL OR CASE
        WHEN b.type = 'pg_catalog.int2'::pg_catalog.regtype AND v.text ~ '^-?[0-9]+$'
            THEN v.text::numeric NOT BETWEEN -32768 AND 32767
        WHEN b.type = 'pg_catalog.int4'::pg_catalog.regtype AND v.text ~ '^-?[0-9]+$'
            THEN v.text::numeric NOT BETWEEN -2147483648 AND 2147483647
        WHEN b.type = 'pg_catalog.int8'::pg_catalog.regtype AND v.text ~ '^-?[0-9]+$'
            THEN v.text::numeric NOT BETWEEN -9223372036854775808 AND 9223372036854775807
        WHEN b.typmod <= 3 THEN false
        WHEN b.type = 'pg_catalog.varchar'::pg_catalog.regtype
            THEN pg_catalog.length(v.text) > b.typmod - 4
        WHEN b.type = 'pg_catalog.bpchar'::pg_catalog.regtype
            THEN pg_catalog.length(pg_catalog.rtrim(v.text)) > b.typmod - 4
        WHEN b.type = 'pg_catalog.numeric'::pg_catalog.regtype THEN (
            SELECT v.text::numeric <> pg_catalog.round(v.text::numeric, m.scale)
                OR pg_catalog.abs(v.text::numeric)
                    >= pg_catalog.power(10::numeric, m.precision - m.scale)
            FROM (SELECT (b.typmod - 4) >> 16 & 65535 AS precision,
                ((b.typmod - 4) & 2047 # 1024) - 1024 AS scale) AS m
        )
        ELSE false
    END
) AS is_equal) AS u
LEFT JOIN LATERAL (
    SELECT r.* FROM (
        SELECT NULL:::row AS base WHERE u.is_equal AND NOT d.has_domain
        UNION ALL
        (SELECT _row AS base FROM :row AS _row WHERE u.is_equal AND d.has_domain LIMIT 1)
    ) AS b
    CROSS JOIN LATERAL pg_catalog.json_populate_record(b.base, k.value) AS r
) AS r ON true
