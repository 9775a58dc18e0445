-- $1: id.
delete from hdb_catalog.hdb_scheduled_events where id = $1
