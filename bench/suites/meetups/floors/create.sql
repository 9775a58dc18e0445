-- One statement is a transaction by itself.
-- rows reviews
INSERT INTO reviews (venue_id, member_id, stars, words)
VALUES (:venue_id, :member_id, :stars, 'Light rooms, kind people, good coffee.')
RETURNING id;
