-- Tables with columns that may have a collation of their own.
SELECT s.name FROM main.sqlite_schema AS s WHERE s.type = 'table' AND s.sql LIKE '%COLLATE%'
