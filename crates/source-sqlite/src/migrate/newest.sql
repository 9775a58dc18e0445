SELECT number, definitions, tables FROM thalweg_migrations ORDER BY number DESC LIMIT 1
