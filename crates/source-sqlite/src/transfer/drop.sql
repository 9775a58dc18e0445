DROP TABLE IF EXISTS thalweg_import
