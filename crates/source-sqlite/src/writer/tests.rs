//! Tests of changes, by hand-made requests.

mod group;
mod log;
mod queue;
mod recording;
mod transactions;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ir::{Isolation, Otherwise, OtherwiseKind};
use relational::{Level, LevelKind, Page, Parents, Program, Requirement, Test, Unit, WriteKind};
use response::{Cursor, Layout, LevelId, MemoryReservation, Value};
use rusqlite::Connection;
use rusqlite::types::Value as Owned;
use source::operand::Variables;
use source::statistics::Counter;
use source::streamed::Abandoner;
use source::{SourceError, SourceErrorKind};

use super::run::Changed;
use super::task::Manner;
use super::{BoundRequirement, Change, FileWriter, GatheredCursor};
use crate::Durability;
use crate::bind::{Bound, BoundLevel, BoundParameter};
use crate::connection::OpenFile;

/// A file of its own, which is gone with this.
struct Place(PathBuf);

impl Place {
    fn new(schema: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = format!("thalweg-writer-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir(&folder).unwrap();
        let place = Self(folder);
        place.connect().execute_batch(schema).unwrap();
        place
    }

    fn path(&self) -> PathBuf {
        self.0.join("t.db")
    }

    fn connect(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }

    fn open(&self) -> OpenFile {
        OpenFile::open_for_changes(&self.path(), Duration::from_millis(50), Durability::Full)
            .unwrap()
    }

    fn writer(&self, patience: Duration) -> FileWriter {
        FileWriter::new(&self.path(), patience, Durability::Full)
    }

    /// The values of a column, one after the other.
    fn read(&self, query: &str) -> String {
        let connection = self.connect();
        let mut statement = connection.prepare(query).unwrap();
        let rows = statement.query_map((), |row| row.get::<_, Owned>(0)).unwrap();
        let values = rows.map(|value| match value.unwrap() {
            Owned::Null => String::from("null"),
            Owned::Integer(number) => number.to_string(),
            Owned::Text(text) => text,
            other => format!("{other:?}"),
        });
        values.collect::<Vec<_>>().join(" ")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A hand-made request: levels and their bound values.
#[derive(Default)]
struct Request {
    levels: Vec<Level>,
    bound: Vec<BoundLevel>,
    units: Vec<Unit>,
}

impl Request {
    fn level(
        &mut self,
        kind: LevelKind,
        parents: Parents,
        parent: Option<LevelId>,
        text: &str,
        parameters: Vec<BoundParameter>,
    ) -> LevelId {
        let id = LevelId(self.levels.len().try_into().unwrap());
        self.levels.push(Level {
            id,
            root: self.units.len().try_into().unwrap(),
            name: "".into(),
            kind,
            parent,
            end: LevelId(id.0 + 1),
            text: text.into(),
            columns: 0,
            bounded: None,
            parameters: Vec::new(),
            parents,
            repeats: None,
            apart: Vec::new(),
            link: None,
            sorted_by: None,
            round: 0,
            calls: false,
            when: Box::default(),
        });
        self.bound.push(BoundLevel { parameters, ..BoundLevel::default() });
        id
    }

    fn write(&mut self, text: &str, values: &[i64]) -> LevelId {
        let value = |value: &i64| BoundParameter::Value(Owned::Integer(*value));
        let kind = LevelKind::Write(WriteKind::Rows);
        self.level(kind, Parents::Top, None, text, values.iter().map(value).collect())
    }

    fn read(&mut self, parents: Parents, parent: Option<LevelId>, text: &str) -> LevelId {
        let kind = LevelKind::Rows(Page::default());
        self.level(kind, parents, parent, text, vec![BoundParameter::Parent(0)])
    }

    /// The levels so far that belong to none are one transaction.
    fn end(&mut self, requirement: Option<(LevelId, Test)>) {
        let start = self.units.last().map_or(0, |unit| unit.levels.end);
        let root = self.units.len().try_into().unwrap();
        let requirement = requirement.map(|(after, test)| {
            let otherwise = Otherwise::new(OtherwiseKind::Missing, "It is not there.");
            Requirement { after, test, root, otherwise, gaps: Box::default(), when: Box::default() }
        });
        self.units.push(Unit {
            may_be_long: false,
            finds_or_inserts: false,
            isolation: Isolation::ReadCommitted,
            levels: start..self.levels.len().try_into().unwrap(),
            roots: vec![root],
            requirements: requirement.into_iter().collect(),
            writes: true,
        });
    }

    fn insert(&mut self, id: i64) {
        self.write("INSERT INTO t (id) VALUES (?1) RETURNING id", &[id]);
        self.end(None);
    }

    fn run(self, file: &OpenFile) -> (Program, Changed) {
        self.run_until(file, &Abandoner::default())
    }

    fn run_until(self, file: &OpenFile, abandoner: &Abandoner) -> (Program, Changed) {
        let (program, change) = self.change();
        let changed = change.run(&program, file, &abandoner.flag(), Manner::Alone);
        (program, changed)
    }

    fn change(self) -> (Program, Change) {
        let Self { levels, bound, units } = self;
        let program = Program { levels, layout: Layout::default(), units };
        let requirements = program.units.iter().flat_map(|unit| &unit.requirements);
        let requirements = requirements
            .map(|own| BoundRequirement::new(own, Variables::of(&[])).unwrap())
            .collect();
        let (bound, failures) = (Arc::new(Bound { levels: bound }), Vec::new());
        let (held, recording) = (MemoryReservation::default(), None);
        (program, Change { bound, requirements, failures, held, recording })
    }
}

fn kinds(changed: &Changed) -> Vec<(u32, SourceErrorKind)> {
    changed.failures.iter().map(|(root, error)| (*root, error.kind)).collect()
}

const TABLE: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, up INTEGER REFERENCES t (id) \
                     DEFERRABLE INITIALLY DEFERRED)";
