SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE name = ?1)
