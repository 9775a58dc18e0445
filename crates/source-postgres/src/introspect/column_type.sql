-- The type of a column, by its table and its name as one identifier.
SELECT a.atttypid::oid
FROM (SELECT pg_catalog.parse_ident($1) AS names) i, pg_catalog.pg_attribute a
WHERE a.attrelid = pg_catalog.to_regclass((
        SELECT pg_catalog.string_agg(pg_catalog.quote_ident(n.name), '.' ORDER BY n.number)
        FROM pg_catalog.unnest(i.names[:pg_catalog.cardinality(i.names) - 1])
            WITH ORDINALITY n(name, number)
    ))
    AND a.attname = i.names[pg_catalog.cardinality(i.names)]
    AND NOT a.attisdropped
