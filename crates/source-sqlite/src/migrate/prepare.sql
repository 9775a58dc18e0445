CREATE TABLE IF NOT EXISTS thalweg_migrations (
  number INTEGER PRIMARY KEY,
  applied_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  definitions TEXT NOT NULL,
  tables TEXT NOT NULL,
  statements TEXT NOT NULL
);
-- The last id of all tables.
CREATE TABLE IF NOT EXISTS thalweg_sequence (last INTEGER NOT NULL);
INSERT INTO thalweg_sequence (last)
SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM thalweg_sequence);
