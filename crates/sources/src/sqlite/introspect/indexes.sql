-- Columns beyond the key (the rowid, or a WITHOUT ROWID table's primary key) are not part of what
-- was declared. An expression has no column name.
SELECT t.name, i.name, i."unique", i.origin, i.partial, c.name
FROM main.sqlite_schema AS t
JOIN pragma_index_list(t.name, 'main') AS i
JOIN pragma_index_xinfo(i.name, 'main') AS c
WHERE t.type = 'table' AND t.rootpage > 0 AND c.key = 1
ORDER BY t.name, i.name, c.seqno
