-- A virtual table has no root page. Its columns are not read: its module may be missing, and then
-- the whole statement would fail.
SELECT t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden
FROM main.sqlite_schema AS t
JOIN pragma_table_xinfo(t.name, 'main') AS c
WHERE t.type = 'table' AND t.rootpage > 0
ORDER BY t.name, c.cid
