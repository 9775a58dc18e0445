INSERT INTO reviews (id, venue_id, member_id, stars, words) VALUES (1000000000, 1, 1, 5, 'The first.')
