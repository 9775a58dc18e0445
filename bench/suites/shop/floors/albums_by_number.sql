\set artist_id 127
-- rows albums, tracks
SELECT album.album_id, album.title, track.track_id, track.name AS track,
  genre.genre_id, genre.name AS genre
FROM album
LEFT JOIN track ON track.album_id = album.album_id
LEFT JOIN genre ON genre.genre_id = track.genre_id
WHERE album.artist_id = :artist_id
ORDER BY album.album_id, track.track_id;
