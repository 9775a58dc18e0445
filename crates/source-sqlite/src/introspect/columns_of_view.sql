SELECT ?1, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden
FROM pragma_table_xinfo(?1, 'main') AS c
ORDER BY c.cid
