-- Claims of servers that have ended.
update hdb_catalog.event_log set locked = null
where locked is not null and not delivered and not error and not archived;
update hdb_catalog.hdb_cron_events set status = 'scheduled', next_retry_at = null
where status = 'locked';
update hdb_catalog.hdb_scheduled_events set status = 'scheduled', next_retry_at = null
where status = 'locked'
