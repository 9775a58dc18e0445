-- Whether some foreign key may be looked at when a transaction ends. The word may stand elsewhere in
-- a statement, too.
SELECT EXISTS (SELECT 1 FROM main.sqlite_schema AS s WHERE s.sql LIKE '%DEFERRED%')
