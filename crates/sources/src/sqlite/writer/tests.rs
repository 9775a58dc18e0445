use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ir::{Isolation, Otherwise, OtherwiseKind};
use response::{Cursor, Held, Layout, LevelId, Value};
use rusqlite::Connection;
use rusqlite::types::Value as Owned;

use super::run::Changed;
use super::{BoundRequirement, Change, FileWriter, GatheredCursor};
use crate::error::{SourceError, SourceErrorKind};
use crate::operand::Variables;
use crate::relational::{
    Level, LevelKind, Page, Parents, Program, Requirement, Test, Unit, WriteKind,
};
use crate::sqlite::bind::{Bound, BoundLevel, BoundParameter};
use crate::sqlite::connection::OpenFile;
use crate::statistics::Counter;
use crate::streamed::Abandoner;

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
        OpenFile::open_for_changes(&self.path(), Duration::from_millis(50)).unwrap()
    }

    fn writer(&self, patience: Duration) -> FileWriter {
        FileWriter::new(&self.path(), patience)
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

/// A request made by hand: levels and what they are bound with.
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
            bounded: None,
            parameters: Vec::new(),
            parents,
            repeats: None,
            link: None,
            round: 0,
            calls: false,
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
            Requirement { after, test, root, otherwise }
        });
        self.units.push(Unit {
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
        let changed = change.run(&program, file, &abandoner.flag());
        (program, changed)
    }

    fn change(self) -> (Program, Change) {
        let Self { levels, bound, units } = self;
        let program = Program { levels, layout: Layout::default(), units };
        let requirements = program.units.iter().flat_map(|unit| &unit.requirements);
        let requirements = requirements
            .map(|own| BoundRequirement::new(own, Variables::of(&[])).unwrap())
            .collect();
        let (bound, failures) = (Bound { levels: bound }, Vec::new());
        (program, Change { bound, requirements, failures, held: Held::default() })
    }
}

fn kinds(changed: &Changed) -> Vec<(u32, SourceErrorKind)> {
    changed.failures.iter().map(|(root, error)| (*root, error.kind)).collect()
}

const TABLE: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, up INTEGER REFERENCES t (id) \
                     DEFERRABLE INITIALLY DEFERRED)";

#[test]
fn what_was_changed_is_read_in_the_same_transaction() {
    let place = Place::new(TABLE);
    let mut request = Request::default();
    let write = request.write("INSERT INTO t (id) VALUES (1), (2) RETURNING id, 10 * id", &[]);
    let again = request.read(
        Parents::Returned { write },
        None,
        "SELECT r.id, (SELECT count(*) FROM t) FROM (SELECT ?1 AS id) AS r",
    );
    let below = request.read(
        Parents::Bound,
        Some(again),
        "SELECT 100 * t.id FROM t WHERE t.id <= ?1 ORDER BY t.id",
    );
    request.end(None);
    let file = place.open();
    let (program, changed) = request.run(&file);
    assert_eq!(kinds(&changed), []);
    let mut top = GatheredCursor::new(&program, &changed.bound, &changed.gathered);
    let mut written = top.open(write).unwrap();
    let mut tens = Vec::new();
    while written.next().unwrap() {
        tens.push(format!("{:?}", written.value(1)));
    }
    assert_eq!(tens, ["Integer(10)", "Integer(20)"]);
    // The same rows come as often as they are asked for.
    for _ in 0..2 {
        let mut rows = top.open(again).unwrap();
        let mut answer = Vec::new();
        while rows.next().unwrap() {
            assert_eq!(rows.value(1), Value::Integer(2));
            let mut children = rows.open(below).unwrap();
            while children.next().unwrap() {
                answer.push((children.row_number(), format!("{:?}", children.value(0))));
            }
        }
        let expect = [(1, "Integer(100)"), (1, "Integer(100)"), (2, "Integer(200)")];
        assert_eq!(answer, expect.map(|(number, text)| (number, String::from(text))));
    }
    assert_eq!(place.read("SELECT id FROM t"), "1 2");
}

#[test]
fn each_transaction_stands_by_itself() {
    let place = Place::new(TABLE);
    let mut request = Request::default();
    request.insert(1);
    request.insert(1);
    // The check is made when the transaction ends.
    request.write("INSERT INTO t (id, up) VALUES (?1, 77) RETURNING id", &[3]);
    request.end(None);
    let missing = request.write("UPDATE t SET up = 1 WHERE id = ?1 RETURNING id", &[99]);
    request.end(Some((missing, Test::RowThere)));
    request.insert(5);
    let file = place.open();
    let (_, changed) = request.run(&file);
    let expect = [
        (1, SourceErrorKind::UniqueViolation),
        (2, SourceErrorKind::ForeignKeyViolation),
        (3, SourceErrorKind::Missing),
    ];
    assert_eq!(kinds(&changed), expect);
    assert_eq!(&*changed.failures[2].1.message, "It is not there.");
    assert_eq!(place.read("SELECT id FROM t"), "1 5");
    assert!(file.connection.is_autocommit());
}

#[test]
fn what_does_not_meet_its_requirement_is_taken_back() {
    let check = |text: &str, test: Test, is_met: bool| {
        let place = Place::new(TABLE);
        place.connect().execute_batch("INSERT INTO t (id) VALUES (1), (2), (3)").unwrap();
        let mut request = Request::default();
        let delete = request.write(text, &[]);
        request.end(Some((delete, test)));
        let (_, changed) = request.run(&place.open());
        assert_eq!(kinds(&changed).is_empty(), is_met, "{text}");
        let left = if is_met { "3" } else { "1 2 3" };
        assert_eq!(place.read("SELECT id FROM t"), left, "{text}");
    };
    let at_most = |most| Test::AtMost(ir::Operand::Constant(ir::Value::Integer(most)));
    for text in ["DELETE FROM t WHERE id < 3", "DELETE FROM t WHERE id < 3 RETURNING id"] {
        check(text, at_most(2), true);
        check(text, at_most(1), false);
        check(text, Test::RowThere, true);
        check(text, Test::NoRow, false);
    }
}

#[test]
fn if_one_of_several_root_fields_fails_none_has_changed_anything() {
    let place = Place::new(TABLE);
    let mut request = Request::default();
    request.write("INSERT INTO t (id) VALUES (1) RETURNING id", &[]);
    request.write("INSERT INTO t (id) VALUES (1) RETURNING id", &[]);
    request.end(None);
    request.levels[1].root = 1;
    request.units[0].roots = vec![0, 1, 2];
    let (_, changed) = request.run(&place.open());
    let mut kinds = kinds(&changed);
    kinds.sort_by_key(|(root, _)| *root);
    let (aborted, unique) = (SourceErrorKind::Aborted, SourceErrorKind::UniqueViolation);
    assert_eq!(kinds, [(0, aborted), (1, unique), (2, aborted)]);
    assert_eq!(place.read("SELECT id FROM t"), "");
}

#[test]
fn a_root_field_whose_values_are_refused_changes_nothing() {
    let place = Place::new(TABLE);
    let mut request = Request::default();
    request.insert(1);
    request.insert(2);
    let (program, mut change) = request.change();
    change.failures.push((0, SourceError::input("no")));
    let changed = change.run(&program, &place.open(), &Abandoner::default().flag());
    assert_eq!(kinds(&changed), [(0, SourceErrorKind::Input)]);
    assert_eq!(place.read("SELECT id FROM t"), "2");
}

#[test]
fn a_full_disk_leaves_nothing_behind() {
    let place = Place::new("CREATE TABLE t (id INTEGER PRIMARY KEY, x)");
    let file = place.open();
    file.connection.pragma_update(None, "max_page_count", 8).unwrap();
    let mut request = Request::default();
    request.insert(1);
    request.write("INSERT INTO t VALUES (2, zeroblob(100000)) RETURNING id", &[]);
    request.end(None);
    request.insert(3);
    let (_, changed) = request.run(&file);
    assert_eq!(kinds(&changed), [(1, SourceErrorKind::Overloaded)]);
    assert_eq!(place.read("SELECT id FROM t"), "1 3");
}

#[test]
fn a_file_that_can_only_be_read_says_so() {
    let place = Place::new(TABLE);
    // A file that a later version of SQLite has to write.
    let mut bytes = std::fs::read(place.path()).unwrap();
    bytes[18] = 3;
    std::fs::write(place.path(), bytes).unwrap();
    let mut request = Request::default();
    request.insert(1);
    let (_, changed) = request.run(&place.open());
    assert_eq!(kinds(&changed), [(0, SourceErrorKind::ReadOnly)]);
    assert_eq!(place.read("SELECT count(*) FROM t"), "0");
}

#[test]
fn a_trigger_that_rolls_back_ends_its_transaction_only() {
    let place = Place::new(
        "CREATE TABLE t (id INTEGER PRIMARY KEY); \
         CREATE TRIGGER no BEFORE INSERT ON t WHEN new.id = 2 \
         BEGIN SELECT raise(ROLLBACK, 'no twos'); END",
    );
    let mut request = Request::default();
    request.write("INSERT INTO t (id) VALUES (10) RETURNING id", &[]);
    request.insert(2);
    request.insert(3);
    let file = place.open();
    let (_, changed) = request.run(&file);
    assert_eq!(changed.failures.len(), 1);
    assert!(changed.failures[0].1.message.contains("no twos"));
    assert_eq!(place.read("SELECT id FROM t"), "3");
}

#[test]
fn a_request_that_has_gone_changes_nothing_more() {
    let place = Place::new(TABLE);
    let mut request = Request::default();
    request.insert(1);
    let abandoner = Abandoner::default();
    let flag = abandoner.flag();
    drop(abandoner);
    let (program, change) = request.change();
    let file = place.open();
    let changed = change.run(&program, &file, &flag);
    assert_eq!(kinds(&changed), []);
    assert_eq!(place.read("SELECT count(*) FROM t"), "0");
}

#[test]
fn another_process_is_waited_for() {
    let place = Place::new(TABLE);
    let other = place.connect();
    other.execute_batch("BEGIN IMMEDIATE; INSERT INTO t (id) VALUES (1)").unwrap();
    let mut request = Request::default();
    request.insert(2);
    let (_, changed) = request.run(&place.open());
    assert_eq!(kinds(&changed), [(0, SourceErrorKind::Overloaded)]);
    let file = OpenFile::open_for_changes(&place.path(), Duration::from_secs(60)).unwrap();
    let waiting = std::thread::spawn(move || {
        let mut request = Request::default();
        request.insert(2);
        kinds(&request.run(&file).1)
    });
    std::thread::sleep(Duration::from_millis(20));
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(waiting.join().unwrap(), []);
    assert_eq!(place.read("SELECT id FROM t"), "1 2");
}

#[tokio::test]
async fn requests_run_in_their_order_and_not_if_nobody_waits() {
    let place = Place::new("CREATE TABLE t (place INTEGER PRIMARY KEY AUTOINCREMENT, id)");
    let writer = Arc::new(place.writer(Duration::from_secs(60)));
    let (release, held) = std::sync::mpsc::channel::<()>();
    let spawn = |work: Box<dyn FnOnce(&OpenFile) + Send>| {
        let writer = Arc::clone(&writer);
        tokio::spawn(async move { writer.run(&Counter::default(), |file, _| work(file)).await })
    };
    let first = spawn(Box::new(move |_| held.recv().unwrap()));
    let tasks: Vec<_> = (0..20)
        .map(|id| {
            spawn(Box::new(move |file| {
                file.connection.execute("INSERT INTO t (id) VALUES (?1)", [id]).unwrap();
            }))
        })
        .collect();
    tokio::task::yield_now().await;
    for task in tasks.iter().skip(1).step_by(2) {
        task.abort();
    }
    tokio::task::yield_now().await;
    release.send(()).unwrap();
    assert_eq!(first.await.unwrap(), Ok(()));
    for task in tasks.into_iter().step_by(2) {
        assert_eq!(task.await.unwrap(), Ok(()));
    }
    assert_eq!(place.read("SELECT id FROM t ORDER BY place"), "0 2 4 6 8 10 12 14 16 18");
}

#[tokio::test]
async fn who_waits_too_long_leaves_and_changes_nothing() {
    let place = Place::new(TABLE);
    let writer = place.writer(Duration::from_millis(30));
    let counter = Counter::default();
    let (release, held) = std::sync::mpsc::channel::<()>();
    let first = writer.run(&counter, move |_, _| held.recv().unwrap());
    let second = writer.run(&counter, |file, _| {
        file.connection.execute_batch("INSERT INTO t (id) VALUES (2)").unwrap();
    });
    let both = async {
        let second = second.await;
        release.send(()).unwrap();
        second
    };
    let (first, second) = tokio::join!(first, both);
    assert_eq!(first, Ok(()));
    assert_eq!(second.unwrap_err().kind, SourceErrorKind::Busy);
    assert_eq!(writer.run(&counter, |_, _| ()).await, Ok(()));
    assert_eq!(place.read("SELECT count(*) FROM t"), "0");
}

#[tokio::test]
async fn a_request_that_goes_away_is_rolled_back_and_the_next_one_runs() {
    let place = Place::new(TABLE);
    let writer = place.writer(Duration::from_secs(60));
    let counter = Counter::default();
    let (begun, has_begun) = tokio::sync::oneshot::channel::<()>();
    let run = writer.run(&counter, move |file, stop| {
        let mut request = Request::default();
        request.write("INSERT INTO t (id) VALUES (1) RETURNING id", &[]);
        // It ends when it is interrupted.
        request.write(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
             INSERT INTO t (id) SELECT i FROM n WHERE i < 0 RETURNING id",
            &[],
        );
        request.end(None);
        let (program, change) = request.change();
        begun.send(()).unwrap();
        change.run(&program, file, stop);
    });
    tokio::select! {
        _ = run => panic!("it does not end by itself"),
        begun = has_begun => begun.unwrap(),
    }
    let free = writer.run(&counter, |file, _| file.connection.is_autocommit()).await;
    assert_eq!(free, Ok(true));
    assert_eq!(place.read("SELECT count(*) FROM t"), "0");
}

#[tokio::test]
async fn the_file_that_is_at_the_path_is_changed() {
    let place = Place::new(TABLE);
    let writer = place.writer(Duration::from_secs(60));
    let counter = Counter::default();
    let insert = |id: i64| {
        writer.run(&counter, move |file, stop| {
            let mut request = Request::default();
            request.insert(id);
            let (program, change) = request.change();
            kinds(&change.run(&program, file, stop))
        })
    };
    assert_eq!(insert(1).await, Ok(vec![]));
    let moved = place.path().with_extension("old");
    std::fs::rename(place.path(), &moved).unwrap();
    place.connect().execute_batch(TABLE).unwrap();
    assert_eq!(insert(2).await, Ok(vec![]));
    assert_eq!(place.read("SELECT id FROM t"), "2");
    std::fs::remove_file(place.path()).unwrap();
    assert_eq!(insert(3).await.unwrap_err().kind, SourceErrorKind::Unavailable);
    assert!(!place.path().exists());
}
