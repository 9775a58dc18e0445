//! There is no room left: on the disk of the database, or for a session's temporary files.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::databases::{Database, File, restartable};
use crate::program::Folder;
use crate::served::{Served, happens_within, receive};

const TABLES: &str = "
    CREATE TABLE artist (id int PRIMARY KEY);
    INSERT INTO artist VALUES (1);
    CREATE VIEW sorted AS
        SELECT count(*)::int AS id FROM (
            SELECT repeat(md5(i::text), 10) AS t FROM generate_series(1, 50000) AS i ORDER BY 1
        ) AS all_of_them;
    GRANT SELECT ON artist, sorted TO public;";

const QUERY: &str = "{ allArtists { nodes { id } } }";
const SORTED: &str = "{ allSorteds { nodes { id } } }";
/// A field that needs room beside one that needs none.
const BOTH: &str = "{ allSorteds { nodes { id } } allArtists { nodes { id } } }";

const NO_ROOM: &str = "The data source has no room for this now.";

fn artists() -> Value {
    json!({ "data": { "allArtists": { "nodes": [{ "id": 1 }] } } })
}

/// A disk of a megabyte; none where this process may not have one.
#[derive(Debug)]
pub(crate) struct SmallDisk {
    pub(crate) path: PathBuf,
    _folder: Folder,
}

impl SmallDisk {
    pub(crate) fn mount() -> Option<Self> {
        let folder = Folder::new();
        let path = folder.file("disk");
        fs::create_dir(&path).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(&path);
        if !mount.output().is_ok_and(|output| output.status.success()) {
            print_not_run();
            return None;
        }
        Some(Self { path, _folder: folder })
    }

    pub(crate) fn fill(&self) {
        // As much as there is room for.
        drop(fs::write(self.path.join("filling"), vec![0; 2 << 20]));
    }

    pub(crate) fn free(&self) {
        fs::remove_file(self.path.join("filling")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a server may have files on it still.
        drop(Command::new("umount").arg("-l").arg(&self.path).status());
    }
}

#[expect(clippy::print_stderr, reason = "whoever reads the tests' output is to know")]
fn print_not_run() {
    eprintln!("not run: this process may not mount a small disk");
}

#[test]
fn a_session_that_needs_more_temporary_files_than_it_may_have_asks_for_too_much() {
    let Some(database) = Database::on_one(TABLES) else { return };
    database.execute(
        "CREATE ROLE small LOGIN; ALTER ROLE small SET work_mem = '64kB';
         ALTER ROLE small SET temp_file_limit = '256kB'",
    );
    let url = database.url().replace("user=postgres", "user=small");
    let mut served = Served::start(&url, &["--threads", "1", "--connections", "1"]);
    for _ in 0..5 {
        let answer = served.ask(BOTH);
        let expected = json!({ "allSorteds": null, "allArtists": { "nodes": [{ "id": 1 }] } });
        assert_eq!(answer["data"], expected, "{answer}");
        let message = "The request is more than the data source can take at once.";
        served.assert_masked(&answer, "QUERY_TOO_COMPLEX", message, "temp_file_limit");
    }
    assert_eq!(database.sessions("true"), 1, "the session goes on");
    served.assert_lives();
}

#[test]
fn a_full_disk_of_postgresql_is_unavailable_for_what_needs_it() {
    let Some(disk) = SmallDisk::mount() else { return };
    let Some(postgres) = restartable() else { return };
    let owner = fs::metadata(postgres.server.socket_folder()).unwrap();
    open_to_all(&disk.path);
    chown(&disk.path, Some(owner.uid()), Some(owner.gid())).unwrap();
    let execute = |sql: &str| postgres.server.execute("postgres", sql).unwrap();
    execute(TABLES);
    execute(&format!("CREATE TABLESPACE small LOCATION '{}'", disk.path.display()));
    execute("GRANT CREATE ON TABLESPACE small TO public");
    execute("CREATE ROLE small LOGIN");
    execute("ALTER ROLE small SET temp_tablespaces = 'small'");
    execute("ALTER ROLE small SET work_mem = '64kB'");
    let url = postgres.server.url("postgres").replace("postgres@", "small@");
    let mut served = Served::start(&url, &["--threads", "1", "--connections", "2"]);
    for _ in 0..5 {
        let answer = served.ask(BOTH);
        let expected = json!({ "allSorteds": null, "allArtists": { "nodes": [{ "id": 1 }] } });
        assert_eq!(answer["data"], expected, "{answer}");
        served.assert_masked(&answer, "UNAVAILABLE", NO_ROOM, "No space left on device");
    }
    execute("ALTER ROLE small RESET temp_tablespaces");
    execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'small'");
    let sorted = json!({ "data": { "allSorteds": { "nodes": [{ "id": 50000 }] } } });
    assert!(happens_within(crate::served::SOON, || served.ask(SORTED) == sorted));
    served.assert_lives();
}

#[test]
fn sqlite_without_room_for_temporary_files_is_unavailable_for_what_needs_them() {
    let Some(disk) = SmallDisk::mount() else { return };
    let file = File::new(
        "CREATE TABLE artist (id integer PRIMARY KEY);
         INSERT INTO artist VALUES (1);
         CREATE VIEW sorted AS
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            SELECT count(*) AS id FROM (SELECT DISTINCT i || hex(zeroblob(1000)) FROM n);",
    );
    let folder = disk.path.to_str().unwrap();
    let options = ["--threads", "1", "--connections", "1"];
    let mut served = Served::start_with(file.source(), &options, &[("SQLITE_TMPDIR", folder)]);
    for _ in 0..5 {
        let answer = served.ask(SORTED);
        served.assert_masked(&answer, "UNAVAILABLE", NO_ROOM, "full");
        assert_eq!(served.ask(QUERY), artists());
    }
    served.assert_lives();
}

#[test]
fn a_file_on_a_full_disk_is_read() {
    let Some(disk) = SmallDisk::mount() else { return };
    let path = disk.path.join("test.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL;
             CREATE TABLE artist (id integer PRIMARY KEY);
             INSERT INTO artist VALUES (1);",
        )
        .unwrap();
    // With a connection that keeps the log and the shared memory, and without.
    let mut served = Served::start(path.to_str().unwrap(), &["--threads", "2"]);
    disk.fill();
    for _ in 0..5 {
        assert_eq!(served.ask(QUERY), artists());
    }
    served.assert_lives();
    disk.free();
    connection.execute_batch("INSERT INTO artist VALUES (2)").unwrap();
    let two = json!({ "data": { "allArtists": { "nodes": [{ "id": 1 }, { "id": 2 }] } } });
    assert_eq!(served.ask(QUERY), two);
}

#[test]
fn a_file_on_a_full_disk_is_not_changed_and_can_be_again() {
    for journal in ["DELETE", "WAL"] {
        let Some(disk) = SmallDisk::mount() else { return };
        let path = disk.path.join("test.db");
        let connection = rusqlite::Connection::open(&path).unwrap();
        let schema = format!(
            "PRAGMA journal_mode = {journal};
             CREATE TABLE artist (id integer PRIMARY KEY, name text);
             INSERT INTO artist VALUES (1, 'first');"
        );
        connection.execute_batch(&schema).unwrap();
        let options = ["--dialect", "phrag", "--threads", "1"];
        let mut served = Served::start(path.to_str().unwrap(), &options);
        // It needs room for pages of its own.
        let name = "x".repeat(20_000);
        let create = format!("mutation {{ createArtist(name: \"{name}\") {{ id }} }}");
        disk.fill();
        for _ in 0..3 {
            let answer = served.ask(&create);
            assert_eq!(answer["data"], json!({ "createArtist": null }), "{journal}");
            assert_eq!(crate::served::code(&answer), "UNAVAILABLE", "{answer}");
            let one = json!({ "data": { "artists": [{ "name": "first" }] } });
            assert_eq!(served.ask("{ artists { name } }"), one);
        }
        // Those that wait are to be committed together, and none is told that it is there.
        let waiting: Vec<_> = (0..12).map(|_| served.send(&create)).collect();
        for stream in waiting {
            let answer = receive(stream);
            assert_eq!(answer["data"], json!({ "createArtist": null }), "{journal}");
            assert_eq!(crate::served::code(&answer), "UNAVAILABLE", "{answer}");
        }
        disk.free();
        assert_eq!(served.ask(&create), json!({ "data": { "createArtist": { "id": 2 } } }));
        let waiting: Vec<_> = (0..12).map(|_| served.send(&create)).collect();
        let mut made: Vec<_> = waiting
            .into_iter()
            .map(|stream| receive(stream)["data"]["createArtist"]["id"].as_u64().unwrap())
            .collect();
        made.sort_unstable();
        assert_eq!(made, (3..15).collect::<Vec<_>>(), "{journal}");
        served.assert_lives();
    }
}

fn open_to_all(path: &Path) {
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(path.parent().unwrap(), permissions).unwrap();
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    fs::set_permissions(path, permissions).unwrap();
}
