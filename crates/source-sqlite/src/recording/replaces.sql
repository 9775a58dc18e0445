-- Tables with a conflict clause, and triggers, that may replace rows. The word may stand elsewhere in a
-- definition, too.
SELECT s.name FROM main.sqlite_schema AS s
WHERE s.type IN ('table', 'trigger') AND s.sql LIKE '%REPLACE%' LIMIT 1
