-- $1: ids.
update hdb_catalog.hdb_action_log set status = 'created', thalweg_claimed_at = null
where id = any ($1::text[]::uuid[]) and status = 'processing'
