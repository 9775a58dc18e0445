\set first 20
-- rows tracks
SELECT track_id, name FROM track ORDER BY track_id LIMIT :first;
