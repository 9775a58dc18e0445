-- $1: schema; $2: table; $3: trigger; $4: JSON of the old and the new row. Returns the id of the event.
select hdb_catalog.insert_event_log($1::text, $2::text, $3::text, 'MANUAL', $4::text::json)
