SELECT number, applied_at, definitions FROM thalweg_migrations ORDER BY number
