CREATE INDEX reviews_member_id_idx ON reviews (member_id)
