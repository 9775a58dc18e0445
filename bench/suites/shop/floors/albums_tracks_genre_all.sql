\startpipeline
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
-- rows albums
SELECT album_id, title FROM album ORDER BY album_id;
-- rows tracks with genres by genre_id
SELECT track_id, name AS track, genre_id, album_id
FROM track
WHERE album_id IS NOT NULL
ORDER BY track_id;
-- rows genres
SELECT genre_id, name AS genre FROM genre;
COMMIT;
\endpipeline
