CREATE INDEX reviews_venue_id_idx ON reviews (venue_id)
