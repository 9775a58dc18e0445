\set artist_id 127
-- rows albums
SELECT album.album_id, album.title, artist.id AS artist_id
FROM album
LEFT JOIN artist ON artist.id = album.artist_id
WHERE album.artist_id = :artist_id
ORDER BY album.album_id;
-- rows tracks of albums
SELECT track.track_id, track.name AS track, genre.genre_id, genre.name AS genre
FROM track
LEFT JOIN genre ON genre.genre_id = track.genre_id
WHERE track.album_id = :album_id
ORDER BY track.track_id;
-- rows albums_again of albums once
SELECT album_id FROM album WHERE artist_id = :artist_id ORDER BY album_id;
-- rows tracks_again of albums_again
SELECT track.track_id, media_type.media_type_id, media_type.name AS media_type,
  genre.genre_id, genre.name AS genre
FROM track
LEFT JOIN media_type ON media_type.media_type_id = track.media_type_id
LEFT JOIN genre ON genre.genre_id = track.genre_id
WHERE track.album_id = :album_id
ORDER BY track.track_id;
