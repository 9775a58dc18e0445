-- Takes the lock and begins the snapshot, which lasts until the statement is reset.
PRAGMA user_version
