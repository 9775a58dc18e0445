SELECT schema.nspname, type.typname
FROM pg_catalog.pg_prepared_statements AS prepared
    CROSS JOIN LATERAL unnest(prepared.parameter_types) WITH ORDINALITY AS parameter(type, place)
    JOIN pg_catalog.pg_type AS type ON type.oid = parameter.type
    JOIN pg_catalog.pg_namespace AS schema ON schema.oid = type.typnamespace
WHERE prepared.name = $1
ORDER BY parameter.place
