update hdb_catalog.hdb_cron_events set status = 'scheduled', next_retry_at = null
where id = any ($1::text[]) and status = 'locked'
