-- Reads no row, and yet takes the lock and begins the snapshot.
SELECT 1 FROM sqlite_schema LIMIT 0
