PRAGMA main.schema_version
