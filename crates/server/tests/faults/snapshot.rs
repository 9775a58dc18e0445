//! An answer shows one state of the database, while another process moves rows about.

use std::collections::HashSet;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::databases::{Database, File, Meanwhile};
use crate::served::Served;

const ALBUMS: u64 = 5;
const TRACKS: u64 = 40;
const READING: Duration = Duration::from_secs(1);
const READERS: usize = 2;

/// In each state of the database each album's `tracks` is the number of its tracks.
const TABLES: &str = "
    CREATE TABLE album (id int PRIMARY KEY, tracks int NOT NULL);
    CREATE TABLE track (id int PRIMARY KEY, album_id int NOT NULL REFERENCES album);
    CREATE INDEX ON track (album_id);
    INSERT INTO album SELECT id, 8 FROM generate_series(1, 5) AS id;
    INSERT INTO track SELECT id, 1 + id % 5 FROM generate_series(0, 39) AS id;";

const SQLITE_TABLES: &str = "
    CREATE TABLE album (id integer PRIMARY KEY, tracks int NOT NULL);
    CREATE TABLE track (id integer PRIMARY KEY, album_id int NOT NULL REFERENCES album);
    CREATE INDEX track_album ON track (album_id);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5)
        INSERT INTO album SELECT i, 8 FROM n;
    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39)
        INSERT INTO track SELECT i, 1 + i % 5 FROM n;";

/// Moves a track a transaction, for a bit longer than the readers read.
const MOVES: &str = "
    DO $$
    DECLARE moved int; from_album int; to_album int; ends timestamptz;
    BEGIN
        ends := clock_timestamp() + interval '1.5 seconds';
        WHILE clock_timestamp() < ends LOOP
            moved := floor(random() * 40);
            to_album := 1 + floor(random() * 5);
            SELECT album_id INTO from_album FROM track WHERE id = moved;
            UPDATE track SET album_id = to_album WHERE id = moved;
            UPDATE album SET tracks = tracks - 1 WHERE id = from_album;
            UPDATE album SET tracks = tracks + 1 WHERE id = to_album;
            COMMIT;
        END LOOP;
    END $$";

const QUERY: &str = "{
    allTracks { totalCount nodes { id albumByAlbumId { id } } }
    allAlbums {
        totalCount
        nodes {
            id
            tracks
            tracksByAlbumId { totalCount nodes { id albumByAlbumId { tracks } } }
        }
    }
    albumById(id: 1) { tracks tracksByAlbumId { nodes { id } } }
}";

/// One root field, whose own statement is the snapshot in SQLite.
const NESTED: &str = "{
    allAlbums { nodes { id tracks tracksByAlbumId { nodes { id albumByAlbumId { tracks } } } } }
}";

/// Of one statement where a database can, which needs no transaction.
const ONE: &str = "{ albumById(id: 1) { tracks tracksByAlbumId { nodes { id } } } }";

/// Reads again and again; how many different states were seen.
fn read(served: &Served) -> usize {
    let started = Instant::now();
    let mut seen = HashSet::new();
    while started.elapsed() < READING {
        let answer = served.ask(QUERY);
        assert_eq!(answer["errors"], Value::Null, "{answer}");
        check(&answer["data"]);
        check_one(&answer["data"]["albumById"]);
        check_one(&served.ask(ONE)["data"]["albumById"]);
        seen.insert(answer.to_string());
        let answer = served.ask(NESTED);
        assert_eq!(answer["errors"], Value::Null, "{answer}");
        check_albums(&answer["data"]);
    }
    seen.len()
}

fn check_one(album: &Value) {
    let tracks = album["tracksByAlbumId"]["nodes"].as_array().unwrap();
    assert_eq!(album["tracks"], tracks.len());
}

/// The tracks with their albums.
fn check_albums(data: &Value) -> HashSet<(Option<u64>, Option<u64>)> {
    let albums = data["allAlbums"]["nodes"].as_array().unwrap();
    assert_eq!(albums.len() as u64, ALBUMS);
    let mut pairs = HashSet::new();
    for album in albums {
        let tracks = album["tracksByAlbumId"]["nodes"].as_array().unwrap();
        assert_eq!(album["tracks"], tracks.len());
        for track in tracks {
            assert_eq!(track["albumByAlbumId"]["tracks"], tracks.len());
            pairs.insert((track["id"].as_u64(), album["id"].as_u64()));
        }
    }
    assert_eq!(pairs.len() as u64, TRACKS);
    pairs
}

fn check(data: &Value) {
    let pairs = check_albums(data);
    assert_eq!(data["allAlbums"]["totalCount"], ALBUMS);
    for album in data["allAlbums"]["nodes"].as_array().unwrap() {
        assert_eq!(album["tracksByAlbumId"]["totalCount"], album["tracks"]);
    }
    // Another root field has found each track in the same album.
    let tracks = data["allTracks"]["nodes"].as_array().unwrap();
    let album = |track: &Value| track["albumByAlbumId"]["id"].as_u64();
    let others = tracks.iter().map(|track| (track["id"].as_u64(), album(track)));
    let others: HashSet<_> = others.collect();
    let moved: Vec<_> = others.symmetric_difference(&pairs).collect();
    assert!(moved.is_empty(), "tracks and albums are of two states: {moved:?}");
    assert_eq!(data["allTracks"]["totalCount"], TRACKS);
}

/// Several readers at once; they must have seen the rows move.
fn read_at_once(served: &Served) {
    let seen: usize = thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS).map(|_| scope.spawn(|| read(served))).collect();
        readers.into_iter().map(|reader| reader.join().unwrap()).sum()
    });
    assert!(seen > 2 * READERS, "only {seen} states were seen");
}

#[test]
fn an_answer_from_postgresql_shows_one_state_of_the_database() {
    for database in Database::on_each(TABLES) {
        let served = Served::start(&database.url(), &["--threads", "2"]);
        thread::scope(|scope| {
            let writer = scope.spawn(|| database.execute(MOVES));
            read_at_once(&served);
            writer.join().unwrap();
        });
    }
}

fn check_file(journal_mode: &str) {
    let file = File::new("");
    let connection = file.connect();
    connection.pragma_update(None, "journal_mode", journal_mode).unwrap();
    connection.execute_batch(SQLITE_TABLES).unwrap();
    let served = Served::start(file.source(), &["--threads", "2"]);
    connection.pragma_update(None, "synchronous", "off").unwrap();
    let writer = Meanwhile::start(move |times| {
        let (track, album) = (times * 7 % TRACKS, 1 + (times + times / TRACKS) % ALBUMS);
        let moves = format!(
            "BEGIN IMMEDIATE;
             UPDATE album SET tracks = tracks - 1
                 WHERE id = (SELECT album_id FROM track WHERE id = {track});
             UPDATE track SET album_id = {album} WHERE id = {track};
             UPDATE album SET tracks = tracks + 1 WHERE id = {album};
             COMMIT;"
        );
        connection.execute_batch(&moves).unwrap();
    });
    read_at_once(&served);
    writer.stop();
}

#[test]
fn an_answer_from_a_file_with_a_write_ahead_log_shows_one_state() {
    check_file("wal");
}

#[test]
fn an_answer_from_a_file_with_a_rollback_journal_shows_one_state() {
    check_file("delete");
}
