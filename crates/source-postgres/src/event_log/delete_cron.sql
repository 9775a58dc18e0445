-- $1: id.
delete from hdb_catalog.hdb_cron_events where id = $1
