SELECT k.number::int AS _number, :columns
FROM pg_catalog.json_array_elements({{:keys}}) WITH ORDINALITY AS k(value, number)
CROSS JOIN LATERAL pg_catalog.json_populate_record(NULL:::row, k.value) AS r
