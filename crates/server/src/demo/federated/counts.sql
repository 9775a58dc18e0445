SELECT count(*) FROM sqlite_schema WHERE type = 'table';
