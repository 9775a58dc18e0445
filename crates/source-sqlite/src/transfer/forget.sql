DELETE FROM thalweg_import;
