select pg_catalog.txid_current_snapshot()::text
