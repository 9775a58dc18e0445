INSERT INTO thalweg_migrations (definitions, tables, statements) VALUES (?1, ?2, ?3)
