-- Rows whose foreign keys lead nowhere.
SELECT "table", parent, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2
