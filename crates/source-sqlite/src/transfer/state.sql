SELECT state FROM thalweg_import
