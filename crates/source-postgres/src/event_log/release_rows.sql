-- $1: ids of claimed events that are not delivered now.
update hdb_catalog.event_log set locked = null
where id = any ($1::text[]) and not delivered and not error
