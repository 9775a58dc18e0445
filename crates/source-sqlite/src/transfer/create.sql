-- Progress of an import that is not finished.
CREATE TABLE IF NOT EXISTS thalweg_import (state TEXT NOT NULL)
