-- What ANALYZE found: the first number is that of the rows of the table, or of those that a partial
-- index is over.
SELECT tbl, max(CAST(stat AS INTEGER))
FROM main.sqlite_stat1
GROUP BY tbl
