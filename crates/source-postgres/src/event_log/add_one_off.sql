-- $1: webhook; $2: microseconds since 1970; $3: retries; $4: payload; $5: headers; $6: comment.
insert into hdb_catalog.hdb_scheduled_events
  (webhook_conf, scheduled_time, retry_conf, payload, header_conf, comment)
values (
  to_json($1::text),
  to_timestamp(0) + $2::int8 * interval '1 microsecond',
  $3::text::json, $4::text::json, $5::text::json, $6::text
)
returning id
