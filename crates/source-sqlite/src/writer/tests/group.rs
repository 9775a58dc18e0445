//! Requests that are committed together.

use std::collections::VecDeque;
use std::sync::Mutex;

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use source::streamed::Abandoned;
use tokio::sync::oneshot::Receiver;

use super::super::group::{Writing, joins};
use super::super::task::{Job, Task};
use super::*;
use crate::runtime_estimate::RuntimeClass;

const PLAIN: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, up INTEGER REFERENCES t (id))";

/// Rows are numbered, so that repeated runs are visible.
const LOG: &str = "CREATE TABLE t (place INTEGER PRIMARY KEY AUTOINCREMENT, id)";

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(600);

const ALL: &str = "SELECT id FROM t ORDER BY 1";

/// Number of runs of a request in each manner, and its failures.
#[derive(Clone, Debug, Default, PartialEq)]
struct Ran {
    together: u32,
    alone: u32,
    lost: u32,
    failures: Vec<(u32, SourceErrorKind)>,
}

/// A connection, and requests that wait for it.
struct Waiting {
    writing: Writing,
    commits: Arc<AtomicU32>,
    tasks: VecDeque<Box<dyn Task>>,
    answers: Vec<Receiver<Result<Ran, SourceError>>>,
    /// The flag of a request that is not abandoned.
    staying: Abandoner,
}

impl Ran {
    fn together(failures: &[(u32, SourceErrorKind)]) -> Self {
        Self { together: 1, failures: failures.into(), ..Self::default() }
    }

    /// Group commit had no effect.
    fn again(failures: &[(u32, SourceErrorKind)]) -> Self {
        Self { together: 1, alone: 1, failures: failures.into(), ..Self::default() }
    }

    fn alone(failures: &[(u32, SourceErrorKind)]) -> Self {
        Self { alone: 1, failures: failures.into(), ..Self::default() }
    }

    fn lost(kind: SourceErrorKind, together: u32) -> Self {
        Self { together, lost: 1, failures: vec![(0, kind)], ..Self::default() }
    }
}

impl Waiting {
    fn new(place: &Place) -> Self {
        let mut file = place.open();
        let commits = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&commits);
        let hook = move || {
            counted.fetch_add(1, Ordering::Relaxed);
            false
        };
        file.connection.commit_hook(Some(hook)).unwrap();
        let (tasks, answers) = (VecDeque::new(), Vec::new());
        let staying = Abandoner::default();
        let writing = Writing::new(file, LONG);
        Self { writing, commits, tasks, answers, staying }
    }

    fn push(&mut self, request: impl FnOnce(&mut Request)) {
        self.push_until(request, self.staying.flag(), |_| ());
    }

    /// A request that may be abandoned, with a function that runs meanwhile.
    fn push_until(
        &mut self,
        request: impl FnOnce(&mut Request),
        stop: Arc<Abandoned>,
        also: impl Fn(&OpenFile) + Send + 'static,
    ) {
        let mut made = Request::default();
        request(&mut made);
        let (program, change) = made.change();
        let mut ran = Ran::default();
        let work = move |file: &OpenFile, stop: &Abandoned, manner: Manner<'_>| {
            match manner {
                Manner::Together => ran.together += 1,
                Manner::Alone => ran.alone += 1,
                Manner::Lost(_) => ran.lost += 1,
            }
            ran.failures = kinds(&change.run(&program, file, stop, manner));
            also(file);
            ran.clone()
        };
        let (job, answer) = Job::new(work, true, stop, &Counter::default());
        self.tasks.push_back(Box::new(job));
        self.answers.push(answer);
    }

    /// Runs them as the thread does, those that no group has taken by themselves.
    fn run(&mut self) {
        let first = self.tasks.pop_front().unwrap();
        let alone = self.writing.together(first, || self.tasks.pop_front());
        for task in alone.into_iter().chain(self.tasks.drain(..)) {
            self.writing.alone(task);
        }
        assert!(self.writing.is_free());
    }

    /// The answer of each request.
    fn answers(&mut self) -> Vec<Ran> {
        self.answers.drain(..).map(|mut answer| answer.try_recv().unwrap().unwrap()).collect()
    }

    fn commits(&self) -> u32 {
        self.commits.load(Ordering::Relaxed)
    }
}

fn insert(id: i64) -> impl FnOnce(&mut Request) {
    move |request| request.insert(id)
}

#[test]
fn one_commit_is_for_all() {
    let place = Place::new(PLAIN);
    let mut waiting = Waiting::new(&place);
    for id in 0..20 {
        waiting.push(insert(id));
    }
    waiting.run();
    assert_eq!(waiting.answers(), vec![Ran::together(&[]); 20]);
    assert_eq!(waiting.commits(), 1);
    assert_eq!(place.read("SELECT count(*) FROM t"), "20");
}

#[test]
fn others_join_for_a_while_only() {
    let place = Place::new(LOG);
    let mut waiting = Waiting::new(&place);
    waiting.writing = Writing::new(place.open(), Duration::ZERO);
    waiting.push(insert(1));
    waiting.push(insert(2));
    waiting.run();
    assert_eq!(waiting.answers(), [Ran::together(&[]), Ran::alone(&[])]);
    let mut waiting = Waiting::new(&place);
    (0..65).for_each(|id| waiting.push(insert(id)));
    waiting.run();
    let told = waiting.answers();
    assert_eq!(told[..64], vec![Ran::together(&[]); 64]);
    assert_eq!(told[64], Ran::alone(&[]));
}

#[test]
fn nobody_is_told_before_all_of_it_is_there() {
    let place = Place::new(PLAIN);
    let mut waiting = Waiting::new(&place);
    waiting.push(insert(1));
    let mut first = waiting.answers.pop().unwrap();
    let (path, seen) = (place.path(), Arc::new(AtomicU32::new(0)));
    let counted = Arc::clone(&seen);
    let look = move |_: &OpenFile| {
        // The second one runs.
        assert!(first.try_recv().is_err());
        let other = Connection::open(&path).unwrap();
        let count = other.query_row("SELECT count(*) FROM t", (), |row| row.get::<_, u32>(0));
        assert_eq!(count, Ok(0));
        counted.fetch_add(1, Ordering::Relaxed);
    };
    let look = std::sync::Mutex::new(look);
    let also = move |file: &OpenFile| (look.lock().unwrap())(file);
    waiting.push_until(insert(2), waiting.staying.flag(), also);
    waiting.run();
    assert_eq!(seen.load(Ordering::Relaxed), 1);
    assert_eq!(waiting.answers(), [Ran::together(&[])]);
}

#[test]
fn each_fails_by_itself() {
    let place = Place::new(PLAIN);
    let mut waiting = Waiting::new(&place);
    waiting.push(insert(1));
    waiting.push(|request| {
        // Writes before the conflicting row are rolled back, and later ones are not.
        request.write("INSERT INTO t (id) VALUES (2) RETURNING id", &[]);
        request.write("INSERT INTO t (id) VALUES (1) RETURNING id", &[]);
        request.end(None);
        request.levels[1].root = 0;
        request.insert(3);
    });
    waiting.push(|request| {
        let written = request.write("DELETE FROM t WHERE id = 1 RETURNING id", &[]);
        request.end(Some((written, Test::NoRow)));
    });
    waiting.push(|request| {
        // An immediate foreign key.
        request.write("INSERT INTO t (id, up) VALUES (4, 99) RETURNING id", &[]);
        request.end(None);
    });
    waiting.push(|request| {
        // It sees earlier changes.
        request.write("INSERT INTO t (id, up) SELECT 5, max(id) FROM t RETURNING id", &[]);
        request.end(None);
    });
    waiting.run();
    let failures = [
        vec![],
        vec![(0, SourceErrorKind::UniqueViolation)],
        vec![(0, SourceErrorKind::Missing)],
        vec![(0, SourceErrorKind::ForeignKeyViolation)],
        vec![],
    ];
    assert_eq!(waiting.answers(), failures.map(|failures| Ran::together(&failures)));
    assert_eq!(waiting.commits(), 1);
    assert_eq!(place.read("SELECT id || ':' || coalesce(up, '') FROM t"), "1: 3: 5:3");
}

#[test]
fn triggers_refuse_one_row_or_end_everything() {
    let raise = |how: &str| {
        format!(
            "{LOG}; CREATE TRIGGER no BEFORE INSERT ON t WHEN new.id = 2 \
             BEGIN SELECT raise({how}); END"
        )
    };
    let run = |schema: &str| {
        let place = Place::new(schema);
        let mut waiting = Waiting::new(&place);
        waiting.push(insert(1));
        waiting.push(|request| {
            request.write("INSERT INTO t (id) VALUES (10), (2), (11) RETURNING id", &[]);
            request.end(None);
            request.insert(20);
        });
        waiting.push(insert(3));
        waiting.run();
        (waiting.answers(), waiting.commits(), place.read(ALL))
    };
    let raised = [(0, SourceErrorKind::Raised)];
    for how in ["ABORT, 'no twos'", "FAIL, 'no twos'"] {
        let (told, commits, rows) = run(&raise(how));
        let expect = [Ran::together(&[]), Ran::together(&raised), Ran::together(&[])];
        assert_eq!((told, commits, &*rows), (expect.into(), 1, "1 3 20"), "{how}");
    }
    let (told, commits, rows) = run(&raise("IGNORE"));
    assert_eq!((told, commits), (vec![Ran::together(&[]); 3], 1));
    assert_eq!(rows, "1 3 10 11 20");
    // All that was done is gone, and the one that had not begun runs in its turn.
    let (told, commits, rows) = run(&raise("ROLLBACK, 'no twos'"));
    assert_eq!(told[..2], [Ran::again(&[]), Ran::again(&raised)]);
    assert_eq!((commits, &*rows), (3, "1 3 20"));
    assert_eq!(told[2], Ran::alone(&[]));
}

#[test]
fn a_conflict_that_rolls_back_lets_the_others_run_again() {
    let place = Place::new(
        "CREATE TABLE t (place INTEGER PRIMARY KEY AUTOINCREMENT, \
         id UNIQUE ON CONFLICT ROLLBACK)",
    );
    let mut waiting = Waiting::new(&place);
    waiting.push(insert(1));
    waiting.push(insert(2));
    waiting.push(insert(1));
    waiting.run();
    let unique = [(0, SourceErrorKind::UniqueViolation)];
    // Without it the others are committed together.
    let twice = Ran { together: 2, ..Ran::default() };
    assert_eq!(waiting.answers(), [twice.clone(), twice, Ran::again(&unique)]);
    assert_eq!(waiting.commits(), 1);
    assert_eq!(place.read("SELECT place || ':' || id FROM t"), "1:1 2:2");
}

#[test]
fn a_full_disk_refuses_the_one_that_has_no_room() {
    let place = Place::new("CREATE TABLE t (id INTEGER PRIMARY KEY, x)");
    let mut waiting = Waiting::new(&place);
    waiting.writing.file.connection.pragma_update(None, "max_page_count", 8).unwrap();
    waiting.push(insert(1));
    waiting.push(|request| {
        request.write("INSERT INTO t VALUES (2, zeroblob(100000)) RETURNING id", &[]);
        request.end(None);
    });
    waiting.push(insert(3));
    waiting.run();
    let told = waiting.answers();
    let failures: Vec<_> = told.into_iter().map(|ran| ran.failures).collect();
    assert_eq!(failures, [vec![], vec![(0, SourceErrorKind::Overloaded)], vec![]]);
    assert_eq!(place.read(ALL), "1 3");
}

/// An endless statement; it ends when it is interrupted.
const ENDLESS: &str = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
                       INSERT INTO t (id) SELECT i FROM n WHERE i < 0 RETURNING id";

#[test]
fn one_that_goes_away_takes_nobody_with_it() {
    let place = Place::new(LOG);
    let mut waiting = Waiting::new(&place);
    let abandoner = Abandoner::default();
    let leaving = abandoner.flag();
    waiting.push(insert(1));
    let endless = |request: &mut Request| {
        request.write("INSERT INTO t (id) VALUES (2 + leave()) RETURNING id", &[]);
        request.write(ENDLESS, &[]);
        request.end(None);
    };
    waiting.push_until(endless, leaving, |_| ());
    waiting.push(insert(3));
    let abandoner = Mutex::new(Some(abandoner));
    let leave = move |_: &Context<'_>| {
        drop(abandoner.lock().unwrap().take());
        Ok(0)
    };
    let connection = &waiting.writing.file.connection;
    connection.create_scalar_function("leave", 0, FunctionFlags::SQLITE_UTF8, leave).unwrap();
    waiting.run();
    let told = waiting.answers();
    assert_eq!((&told[0], &*told[2].failures), (&Ran::again(&[]), &[][..]));
    assert_eq!(place.read(ALL), "1 3");
}

#[test]
fn one_that_has_gone_changes_nothing() {
    let place = Place::new(LOG);
    let mut waiting = Waiting::new(&place);
    let abandoner = Abandoner::default();
    let gone = abandoner.flag();
    drop(abandoner);
    waiting.push(insert(1));
    waiting.push_until(insert(2), gone, |_| ());
    waiting.push(insert(3));
    waiting.run();
    assert_eq!((waiting.commits(), &*place.read(ALL)), (1, "1 3"));
}

#[test]
fn what_is_looked_at_in_the_end_is_looked_at_for_each() {
    let place = Place::new(PLAIN);
    let mut waiting = Waiting::new(&place);
    waiting.push(insert(1));
    waiting.push(insert(2));
    waiting.run();
    assert_eq!(waiting.answers(), vec![Ran::together(&[]); 2]);
    // The schema may change at any time.
    let other = place.connect();
    other.execute_batch(&format!("DROP TABLE t; {TABLE}")).unwrap();
    for first in [11, 13] {
        waiting.push(|request| {
            // The second request would have made it good.
            let text = "INSERT INTO t (id, up) VALUES (?1, 1 + ?1) RETURNING id";
            request.write(text, &[first]);
            request.end(None);
        });
        waiting.push(insert(first + 1));
        let tasks = std::mem::take(&mut waiting.tasks);
        for first in tasks {
            let mut never = || -> Option<Box<dyn Task>> { panic!("nobody joins it") };
            let alone = waiting.writing.together(first, &mut never);
            alone.into_iter().for_each(|task| waiting.writing.alone(task));
        }
        let broken = [(0, SourceErrorKind::ForeignKeyViolation)];
        assert_eq!(waiting.answers(), [Ran::alone(&broken), Ran::alone(&[])]);
    }
    assert_eq!(place.read(ALL), "12 14");
}

#[test]
fn keys_that_could_be_deferred_and_are_not_let_requests_join() {
    let place = Place::new(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, \
         up INTEGER REFERENCES t (id) DEFERRABLE INITIALLY IMMEDIATE)",
    );
    let mut waiting = Waiting::new(&place);
    waiting.push(|request| {
        request.write("INSERT INTO t (id, up) VALUES (1, 2) RETURNING id", &[]);
        request.end(None);
    });
    waiting.push(insert(2));
    waiting.run();
    let broken = [(0, SourceErrorKind::ForeignKeyViolation)];
    assert_eq!(waiting.answers(), [Ran::together(&broken), Ran::together(&[])]);
    assert_eq!(place.read(ALL), "2");
}

#[test]
fn if_others_do_not_let_it_begin_or_end_all_are_told_so_once() {
    let place = Place::new(PLAIN);
    let other = place.connect();
    let overloaded = SourceErrorKind::Overloaded;
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut waiting = Waiting::new(&place);
    waiting.push(insert(1));
    waiting.run();
    assert_eq!(waiting.answers(), [Ran::lost(overloaded, 0)]);
    // A reader admits its BEGIN.
    other.execute_batch("ROLLBACK; BEGIN; SELECT * FROM t").unwrap();
    waiting.push(insert(1));
    waiting.push(insert(2));
    waiting.run();
    assert_eq!(waiting.answers(), vec![Ran::lost(overloaded, 1); 2]);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(place.read(ALL), "");
    waiting.push(insert(1));
    waiting.push(insert(2));
    waiting.run();
    assert_eq!((waiting.answers(), &*place.read(ALL)), (vec![Ran::together(&[]); 2], "1 2"));
}

#[test]
fn what_cannot_be_committed_runs_again() {
    let place = Place::new(PLAIN);
    let mut waiting = Waiting::new(&place);
    let mut refusals = 1;
    // It makes a roll back of the first commit.
    let hook = move || std::mem::replace(&mut refusals, 0) > 0;
    waiting.writing.file.connection.commit_hook(Some(hook)).unwrap();
    waiting.push(insert(1));
    waiting.push(insert(2));
    waiting.run();
    assert_eq!(waiting.answers(), vec![Ran::again(&[]); 2]);
    assert_eq!(place.read(ALL), "1 2");
}

#[test]
fn beginnings_and_ends_are_prepared_once() {
    let place = Place::new(PLAIN);
    let mut waiting = Waiting::new(&place);
    let prepared = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&prepared);
    let count = move |context: AuthContext<'_>| {
        if let AuthAction::Transaction { .. } | AuthAction::Savepoint { .. } = context.action {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        Authorization::Allow
    };
    waiting.writing.file.connection.authorizer(Some(count)).unwrap();
    let mut run = |id: i64| {
        waiting.push(insert(id));
        waiting.push(insert(id));
        waiting.run();
        let mut request = Request::default();
        request.insert(-id);
        request.insert(-id);
        request.run(&waiting.writing.file);
        waiting.answers();
        prepared.load(Ordering::Relaxed)
    };
    // BEGIN, COMMIT, ROLLBACK, SAVEPOINT, ROLLBACK TO, RELEASE.
    assert_eq!(run(1), 6);
    for id in 2..9 {
        assert_eq!(run(id), 6);
    }
}

#[test]
fn what_is_long_or_one_transaction_of_several_fields_does_not_join() {
    let check = |roots: &[u32], class: RuntimeClass, expect: bool| {
        let mut request = Request::default();
        request.insert(1);
        request.insert(2);
        request.units[1].roots = roots.into();
        assert_eq!(joins(&request.change().0, class), expect, "{roots:?} {class:?}");
    };
    check(&[1], RuntimeClass::Short, true);
    check(&[1], RuntimeClass::Middle, false);
    check(&[1], RuntimeClass::Long, false);
    check(&[1, 2], RuntimeClass::Short, false);
}

#[test]
fn how_long_it_ran_is_known_without_the_commit() {
    let place = Place::new(LOG);
    let mut request = Request::default();
    let count = "INSERT INTO t (id) WITH RECURSIVE n (i) AS \
                 (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) \
                 SELECT count(*) FROM n RETURNING id";
    request.write(count, &[]);
    request.end(None);
    let begun = std::time::Instant::now();
    let (_, changed) = request.run(&place.open());
    assert!(changed.took > Duration::ZERO && changed.took < begun.elapsed());
}

#[tokio::test]
async fn those_that_wait_are_committed_together_and_in_their_order() {
    let place = Place::new(LOG);
    let writer = Arc::new(FileWriter::joining(&place.path(), LONG, Durability::Full, LONG));
    let (release, held) = std::sync::mpsc::channel::<()>();
    let own = Arc::clone(&writer);
    let first = tokio::spawn(async move {
        own.run(&Counter::default(), false, move |_, _, _| held.recv().unwrap()).await
    });
    tokio::task::yield_now().await;
    let tasks: Vec<_> = (0..9)
        .map(|id| {
            let writer = Arc::clone(&writer);
            let mut request = Request::default();
            request.insert(id);
            let (program, change) = request.change();
            let work = move |file: &OpenFile, stop: &Abandoned, manner: Manner<'_>| {
                let failures = kinds(&change.run(&program, file, stop, manner));
                (manner == Manner::Together, failures)
            };
            // A request that does not join a group is not overtaken.
            tokio::spawn(async move { writer.run(&Counter::default(), id != 4, work).await })
        })
        .collect();
    tokio::task::yield_now().await;
    release.send(()).unwrap();
    first.await.unwrap().unwrap();
    for (id, task) in (0..).zip(tasks) {
        assert_eq!(task.await.unwrap(), Ok((id != 4, vec![])), "{id}");
    }
    assert_eq!(place.read("SELECT id FROM t ORDER BY place"), "0 1 2 3 4 5 6 7 8");
}
