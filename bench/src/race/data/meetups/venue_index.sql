CREATE INDEX meetups_venue_id_idx ON meetups (venue_id)
