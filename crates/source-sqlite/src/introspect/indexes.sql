-- Columns beyond the key (the rowid, or a WITHOUT ROWID table's primary key) are not part of what
-- was declared. What a unique index tells apart may be equal by a collation of the column. An expression has no column name.
SELECT t.name, i.name, i."unique", i.origin, i.partial, c.name,
  CASE WHEN i.partial THEN s.sql END,
  instr(lower(t.sql), 'collate') > 0
FROM main.sqlite_schema AS t
JOIN pragma_index_list(t.name, 'main') AS i
JOIN pragma_index_xinfo(i.name, 'main') AS c
LEFT JOIN main.sqlite_schema AS s ON i.partial AND s.type = 'index' AND s.name = i.name
WHERE t.type = 'table' AND t.rootpage > 0 AND c.key = 1
ORDER BY t.name, i.name, c.seqno
