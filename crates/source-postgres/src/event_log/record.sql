-- $1: new events as a JSON array, each with its schema, table and trigger, in their order.
select hdb_catalog.insert_event_log(
  new.schema_name, new.table_name, new.trigger_name, 'SUBSCRIPTION', new.event
)
from json_to_recordset($1) as new (schema_name text, table_name text, trigger_name text, event json)
