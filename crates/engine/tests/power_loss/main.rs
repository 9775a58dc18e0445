//! Power failures while mutations are committed to a SQLite file: FULL loses nothing that was
//! acknowledged, NORMAL only the newest, and neither damages the file.
//!
//! A program of its own, since all its connections go through a VFS that records what they write
//! and sync ([`recording`]). Afterwards the disk is put together as it may be after a failure at any
//! moment ([`disk`]).

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

mod disk;
mod recording;

use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use dialects::{Dialect, dgraph};
use engine::schema_first::{ApplyMigrations, SchemaFirst};
use engine::{
    Allowed, Durability, Engine, OpenOptions, Options, PoolLimits, SourceAddress, Worker,
};
use graphql::Request;
use rusqlite::{Connection, OpenFlags};
use tokio::task::LocalSet;

use disk::{Random, Survival, after_failure};
use recording::{Operation, Recording};

const TYPES: &str = "
    type Writer { name: String! @id  notes: [Note] @hasInverse(field: writer) }
    type Note { id: ID!  text: String! @search(by: [term])  writer: Writer! }
";

/// Mutations, of which up to [`TOGETHER`] wait at once.
const ROUNDS: u64 = 70;
const TOGETHER: u64 = 6;

/// Failures at random moments, beside those right before and after each sync.
const MOMENTS: usize = 100;

/// The failures that are tried of those at syncs: one in so many.
const OF_SYNCS: usize = 3;

/// A file with its acknowledged mutations, and everything that was written of it.
struct Run {
    operations: Vec<Operation>,
    /// Names of writers, with the number of operations before the acknowledgement.
    acknowledged: Vec<(usize, String)>,
    /// Names in the order of their commits.
    committed: Vec<String>,
}

fn options(durability: Durability) -> Options {
    let model = dgraph::definitions::read(TYPES).unwrap();
    let dialect = dgraph::Options { model: Arc::new(model), ..dgraph::Options::default() };
    Options {
        source: OpenOptions { durability, ..OpenOptions::default() },
        schema_first: Some(SchemaFirst {
            definitions: TYPES.into(),
            apply: ApplyMigrations::First,
        }),
        ..Options::new(Dialect::Dgraph(dialect), PoolLimits::unshared(2))
    }
}

/// Adds writers with notes, of which some fill several pages.
async fn add(worker: &Worker, name: &str, length: u64) {
    let word = "word".repeat(usize::try_from(length).unwrap());
    let query = format!(
        r#"mutation {{ addWriter(input: [{{name: "{name}", notes: [{{text: "a {word}"}}, {{text: "b"}}]}}]) {{ numUids }} }}"#
    );
    let request = Request { query, ..Request::default() };
    let answer = worker.execute(&request, Allowed::All).await.body;
    assert_eq!(
        String::from_utf8(answer.into()).unwrap(),
        r#"{"data":{"addWriter":{"numUids":3}}}"#
    );
}

/// Makes the tables and adds objects.
fn run(durability: Durability, folder: &Path) -> Run {
    let recording = Recording::begin(folder);
    let file = folder.join("notes.db");
    let address = SourceAddress::Sqlite(file.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut acknowledged = Vec::new();
    LocalSet::new().block_on(&runtime, async {
        let engine = Engine::open(&address, &options(durability)).await.unwrap();
        let worker = Rc::new(Worker::new(Arc::clone(&engine)));
        let mut random = Random::new(7);
        for round in 0..ROUNDS {
            let adds = (0..=random.below(TOGETHER)).map(|number| {
                // The names are in no order, so that pages in the middle of the index change.
                let name = format!("{:08x}-{round}-{number}", random.next() as u32);
                let length = if random.below(4) == 0 { random.below(9_000) } else { 1 };
                let worker = Rc::clone(&worker);
                tokio::task::spawn_local(async move {
                    add(&worker, &name, length).await;
                    (recording::position(), name)
                })
            });
            for added in adds.collect::<Vec<_>>() {
                acknowledged.push(added.await.unwrap());
            }
        }
        // The log is emptied and removed.
        engine.close(Duration::from_secs(20));
    });
    let operations = recording.end();
    let committed = names(&file).unwrap();
    assert_eq!(committed.len(), acknowledged.len());
    Run { operations, acknowledged, committed }
}

/// The writers of a whole file in the order of their commits; an error text if it is damaged.
fn names(file: &Path) -> Result<Vec<String>, String> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let read = || -> Result<Vec<String>, rusqlite::Error> {
        let connection = Connection::open_with_flags_and_vfs(file, flags, c"unix")?;
        let check = "PRAGMA integrity_check(1)";
        let check: String = connection.query_row(check, (), |row| row.get(0))?;
        if check != "ok" {
            return Ok(vec![check]);
        }
        let has_tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'thalweg_migrations'";
        if connection.query_row(has_tables, (), |row| row.get::<_, i64>(0))? == 0 {
            return Ok(Vec::new());
        }
        let sql = r#"
            SELECT name || CASE (SELECT count(*) FROM "Note" WHERE writer = "Writer".id)
                WHEN 2 THEN '' ELSE ' in part' END
            FROM "Writer" ORDER BY id
        "#;
        let mut statement = connection.prepare(sql)?;
        let names = statement.query_map((), |row| row.get(0))?;
        names.collect()
    };
    read().map_err(|error| error.to_string())
}

impl Run {
    /// The moments at which the power fails.
    fn moments(&self, random: &mut Random) -> Vec<usize> {
        let syncs = self.operations.iter().enumerate();
        let syncs = syncs.filter(|(_, operation)| matches!(operation, Operation::Sync { .. }));
        let at_syncs = syncs.flat_map(|(number, _)| [number, number + 1]).step_by(OF_SYNCS);
        let all = u64::try_from(self.operations.len()).unwrap();
        let others = (0..MOMENTS).map(|_| usize::try_from(random.below(all + 1)).unwrap());
        at_syncs.chain(others).collect()
    }

    /// Tries all failures. Returns the most acknowledged mutations that one has lost.
    fn most_lost(&self, folder: &Path) -> usize {
        let mut random = Random::new(11);
        let mut most = 0;
        for moment in self.moments(&mut random) {
            for survival in [Survival::Nothing, Survival::Everything, Survival::Sectors] {
                let lost = self.lost(moment, survival, &mut random, folder);
                let lost = lost
                    .unwrap_or_else(|error| panic!("{survival:?} of operation {moment}: {error}"));
                most = most.max(lost);
            }
        }
        most
    }

    /// The number of acknowledged mutations that a failure has lost.
    fn lost(
        &self,
        moment: usize,
        survival: Survival,
        random: &mut Random,
        folder: &Path,
    ) -> Result<usize, String> {
        fs::create_dir(folder).unwrap();
        for (name, content) in after_failure(&self.operations[..moment], survival, random) {
            fs::write(folder.join(name), content).unwrap();
        }
        let file = folder.join("notes.db");
        let stored = if file.exists() { names(&file)? } else { Vec::new() };
        fs::remove_dir_all(folder).unwrap();
        if !self.committed.starts_with(&stored) {
            return Err(format!("no state that was committed: {:?}", stored.last()));
        }
        let before = self.acknowledged.iter().filter(|(position, _)| *position <= moment);
        Ok(before.filter(|(_, name)| !stored.contains(name)).count())
    }
}

/// Runs with a durability. Returns the most acknowledged mutations that a power failure has lost.
fn check(durability: Durability) -> usize {
    let folder = std::env::temp_dir().join(format!("thalweg-power-loss-{}", std::process::id()));
    fs::create_dir(&folder).unwrap();
    let run = run(durability, &folder);
    let most = run.most_lost(&folder.join("after"));
    fs::remove_dir_all(&folder).unwrap();
    most
}

#[test]
fn a_power_failure_loses_nothing_that_was_acknowledged_unless_that_is_allowed() {
    recording::install();
    assert_eq!(check(Durability::Full), 0);
    // The log is synced only before a checkpoint. If nothing were lost, the recording would be
    // wrong.
    assert!(check(Durability::Normal) > 0);
}
