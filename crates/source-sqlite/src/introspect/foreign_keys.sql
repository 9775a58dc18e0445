-- SQLite numbers foreign keys from the last declared to the first.
SELECT t.name, f.id, f."table", f."from", f."to"
FROM main.sqlite_schema AS t
JOIN pragma_foreign_key_list(t.name, 'main') AS f
WHERE t.type = 'table' AND t.rootpage > 0
ORDER BY t.name, f.id DESC, f.seq
