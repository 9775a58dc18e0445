INSERT INTO thalweg_import (state) VALUES (?1)
