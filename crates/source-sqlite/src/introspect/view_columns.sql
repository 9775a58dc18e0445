-- Fails as a whole if one view refers to something that is not there.
SELECT v.name, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden
FROM main.sqlite_schema AS v
JOIN pragma_table_xinfo(v.name, 'main') AS c
WHERE v.type = 'view'
ORDER BY v.name, c.cid
