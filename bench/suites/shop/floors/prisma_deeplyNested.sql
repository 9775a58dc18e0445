\set artist_id 127
\startpipeline
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
-- rows albums, tracks
SELECT album.album_id, album.title, album.artist_id, track.track_id, track.name AS track,
  genre.genre_id, genre.name AS genre
FROM album
LEFT JOIN track ON track.album_id = album.album_id
LEFT JOIN genre ON genre.genre_id = track.genre_id
WHERE album.artist_id = :artist_id
ORDER BY album.album_id, track.track_id;
-- rows albums_again, tracks_again
SELECT album.artist_id, album.album_id, track.track_id,
  media_type.media_type_id, media_type.name AS media_type, genre.genre_id, genre.name AS genre
FROM album
LEFT JOIN track ON track.album_id = album.album_id
LEFT JOIN media_type ON media_type.media_type_id = track.media_type_id
LEFT JOIN genre ON genre.genre_id = track.genre_id
WHERE album.artist_id = :artist_id
ORDER BY album.album_id, track.track_id;
COMMIT;
\endpipeline
