\set artist_id 127
-- rows albums
SELECT album_id, title FROM album WHERE artist_id = :artist_id ORDER BY album_id;
-- rows tracks of albums
SELECT track.track_id, track.name AS track, genre.genre_id, genre.name AS genre
FROM track
LEFT JOIN genre ON genre.genre_id = track.genre_id
WHERE track.album_id = :album_id
ORDER BY track.track_id;
