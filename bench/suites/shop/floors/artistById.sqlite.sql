\set id 3
-- rows artists
SELECT id, name FROM artist WHERE id = :id;
