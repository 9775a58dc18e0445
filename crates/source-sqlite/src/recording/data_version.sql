PRAGMA main.data_version
