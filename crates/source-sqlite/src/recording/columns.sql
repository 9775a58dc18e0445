SELECT c.name FROM pragma_table_xinfo(?1, 'main') AS c
