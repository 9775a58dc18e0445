//! What a request takes does not depend on how many tables there are, and a table takes little.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dialects::hasura::metadata::{MetadataSetting, ServedSource, read_text};
use dialects::hasura::permissions::ROLE;
use dialects::{Dialect, hasura, phrag, postgraphile};
use engine::{Allowed, Claims, Delivery, Engine, Options, Report, Session, SourceAddress, Worker};
use graphql::Request;
use rusqlite::Connection;
use serde_json::{Value as Json, json};
use testkit::allocation;
use tokio::runtime::{Builder, Runtime};

/// A look whether the file is still in its place is taken now and then: some requests have none.
const DOCUMENTS: usize = 30;

/// How often a document is sent again.
const AGAIN: usize = 5;

/// About a third more than a table of nine columns takes, of which 16,700 were measured: a copy of the
/// schema in another form would be told by it.
const MOST_BYTES_A_TABLE: isize = 23_000;

/// The same of a table in the API of Hasura, which has many more types: 20,900 were measured.
const MOST_BYTES_A_TABLE_OF_HASURA: isize = 26_000;

/// What the permissions of one role to read, insert, update and delete rows of a table take, where no
/// other role has the same: 1,210 were measured.
const MOST_BYTES_A_ROLE: isize = 1_600;

/// What a table with the permissions of five roles takes at the worst moment of the start, from the
/// text of the metadata on: 58,400 were measured.
const MOST_BYTES_AT_THE_START: isize = 75_000;

/// What the first request of a role takes for each table, whether it names the table or not: a place
/// for what is granted.
const MOST_BYTES_OF_A_FIRST_REQUEST: isize = 40;

/// A file that is removed in the end.
struct File(PathBuf);

impl File {
    /// Two tables with rows, the same in every file, and others.
    fn with_tables(tables: usize) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("thalweg-schema-size-{}-{number}.db", std::process::id());
        let file = Self(std::env::temp_dir().join(name));
        drop(fs::remove_file(&file.0));
        let mut script = String::from(
            "BEGIN;
             CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
             CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, price NUMERIC(8, 2),
               author_id INTEGER NOT NULL REFERENCES author (id));
             CREATE INDEX book_author ON book (author_id);
             INSERT INTO author VALUES (1, 'A'), (2, 'B');
             INSERT INTO book VALUES (1, 'C', 1.5, 1), (2, 'D', 2, 1), (3, NULL, NULL, 2);",
        );
        for index in 2..tables {
            let other =
                if index % 20 == 0 { "author".to_owned() } else { format!("t{}", index / 2) };
            let other = if index < 4 { "book" } else { &other };
            write!(
                script,
                "CREATE TABLE t{index} (id INTEGER PRIMARY KEY, title TEXT NOT NULL, note TEXT,
                   amount NUMERIC(12, 2), quantity INTEGER, is_active BOOLEAN, due_on DATE,
                   created_at TIMESTAMP NOT NULL, other_id INTEGER REFERENCES {other} (id));
                 CREATE INDEX t{index}_other ON t{index} (other_id);"
            )
            .unwrap();
        }
        script.push_str("COMMIT;");
        Connection::open(&file.0).unwrap().execute_batch(&script).unwrap();
        file
    }

    fn open(&self, dialect: Dialect) -> Arc<Engine> {
        let address = SourceAddress::parse(self.0.to_str().unwrap()).unwrap();
        let options = Options::new(dialect, engine::PoolLimits::unshared(1));
        runtime().block_on(Engine::open(&address, &options)).unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.0));
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// What a request takes.
#[derive(Debug)]
struct Taken {
    /// How often memory is asked for by a request whose document is new: the least of many.
    new: usize,
    /// The bytes that it holds at its worst moment.
    most: isize,
    /// How often memory is asked for where the document is known. One that takes long, because
    /// the machine does something else, is executed on another thread for a while, which takes
    /// more; the first one always does, for it opens the file.
    known: BTreeSet<usize>,
}

fn take(engine: &Arc<Engine>, document: &str) -> Taken {
    let runtime = runtime();
    let worker = Worker::new(Arc::clone(engine));
    let ask = |body: &str| {
        let request = Request::from_json(body.as_bytes()).unwrap();
        let (held, made) = (allocation::held(), allocation::made());
        allocation::reset();
        let response = runtime.block_on(worker.execute(&request, Allowed::All));
        let taken = (allocation::made() - made, allocation::most_since(held));
        let answer = String::from_utf8_lossy(&response.body);
        assert!(answer.starts_with("{\"data\":") && answer.contains("{\"id\":3}"), "{answer}");
        taken
    };
    let mut taken = Taken { new: usize::MAX, most: 0, known: BTreeSet::new() };
    for number in 0..DOCUMENTS {
        let document = document.replace("NUMBER", &format!("{number:03}"));
        let body = serde_json::json!({ "query": document }).to_string();
        let (new, most) = ask(&body);
        if new < taken.new {
            taken = Taken { new, most, ..taken };
        }
        taken.known.extend((0..AGAIN).map(|_| ask(&body).0));
    }
    taken
}

fn dialects() -> [(Dialect, &'static str); 2] {
    [
        (
            Dialect::PostGraphile(postgraphile::Options::default()),
            "{ xNUMBER: allAuthors(first: 2, orderBy: NAME_DESC, condition: { id: 2 }) {
                 nodes { name booksByAuthorId { nodes { id } } } } }",
        ),
        (
            Dialect::Phrag(phrag::Options::default()),
            "{ xNUMBER: authors(limit: 2, sort: { name: desc }, where: { id: { eq: 2 } }) {
                 name books { id } } }",
        ),
    ]
}

#[test]
fn a_request_takes_the_same_on_any_number_of_tables() {
    let (few, many) = (File::with_tables(10), File::with_tables(200));
    for (dialect, document) in dialects() {
        let take = |file: &File| take(&file.open(dialect.clone()), document);
        let (few, many) = (take(&few), take(&many));
        assert_eq!((few.new, few.most), (many.new, many.most), "{document}");
        assert!(!few.known.is_disjoint(&many.known), "{few:?} {many:?} {document}");
    }
}

#[test]
fn a_table_takes_little_memory() {
    let held = |tables: usize, dialect: &Dialect| {
        let file = File::with_tables(tables);
        let before = allocation::held();
        let engine = file.open(dialect.clone());
        let held = allocation::held() - before;
        drop(engine);
        held
    };
    for (dialect, _) in dialects() {
        let (few, many) = (held(10, &dialect), held(210, &dialect));
        let a_table = (many - few) / 200;
        assert!(a_table < MOST_BYTES_A_TABLE, "{a_table} bytes a table");
    }
}

/// Metadata that tracks so many tables of a [`File`], with the permissions of so many roles.
fn metadata(tables: usize, roles: usize) -> String {
    let columns = [
        "id",
        "title",
        "note",
        "amount",
        "quantity",
        "is_active",
        "due_on",
        "created_at",
        "other_id",
    ];
    let filter = |role: usize| {
        let id = format!("X-Hasura-Id-{role}");
        json!({ "_and": [{ "quantity": { "_eq": id } }, { "title": { "_neq": "" } }] })
    };
    let of_roles = |permission: &dyn Fn(usize) -> Json| -> Vec<Json> {
        let role = |role| json!({ "role": format!("r{role}"), "permission": permission(role) });
        (0..roles).map(role).collect()
    };
    let table = |index: usize| {
        json!({
            "table": { "schema": "public", "name": format!("t{index}") },
            "object_relationships":
                [{ "name": "other", "using": { "foreign_key_constraint_on": "other_id" } }],
            "select_permissions": of_roles(&|role| json!({
                "columns": columns[..9 - role % 3], "filter": filter(role),
                "allow_aggregations": true,
            })),
            "insert_permissions": of_roles(&|role| json!({
                "columns": columns[1..9 - role % 3], "check": filter(role),
                "set": { "id": "X-Hasura-New-Id" },
            })),
            "update_permissions": of_roles(&|role| json!({
                "columns": columns[1..9 - role % 3], "filter": filter(role), "check": filter(role),
            })),
            "delete_permissions": of_roles(&|role| json!({ "filter": filter(role) })),
        })
    };
    let plain = |name: &str| json!({ "table": { "schema": "public", "name": name } });
    let all = ["author", "book"].map(plain).into_iter().chain((2..tables).map(table));
    json!({ "version": 3, "sources": [{
        "name": "default", "kind": "postgres", "tables": all.collect::<Vec<_>>(),
        "configuration": { "connection_info": { "database_url": "postgres://unused" } },
    }] })
    .to_string()
}

/// The bytes that an engine with the metadata holds, and the most until it is there; and the bytes of
/// the first request of a role.
fn held_of_hasura(tables: usize, roles: usize) -> (isize, isize, isize) {
    let (file, text) = (File::with_tables(tables), metadata(tables, roles));
    let before = allocation::held();
    allocation::reset();
    let served = ServedSource::choose(read_text("metadata.json", &text), None).unwrap();
    let options = hasura::Options { metadata: MetadataSetting::Read(served), ..Default::default() };
    let dialect = Dialect::Hasura(options);
    // The metadata is dropped with the dialect.
    let engine = file.open(dialect);
    let (held, most) = (allocation::held() - before, allocation::most_since(before));
    let named = engine.role_names().into_iter().filter(|name| *name != "admin");
    assert_eq!(named.count(), roles);
    let of_role = if roles == 0 { 0 } else { held_of_first_request(&engine) };
    drop(engine);
    (held, most, of_role)
}

/// The bytes that the first request of a role leaves, of which its documents and statements have the
/// same on any number of tables: those of another role are there.
fn held_of_first_request(engine: &Arc<Engine>) -> isize {
    let (runtime, worker) = (runtime(), Worker::new(Arc::clone(engine)));
    let ask = |role: &str, query: &str| {
        let claims = json!({ ROLE: role, "x-hasura-id-0": "1", "x-hasura-id-1": "1" });
        let claims = Some(Arc::new(Claims::new(serde_json::from_value(claims).unwrap())));
        let session = Session { claims, ..Session::default() };
        let request = Request { query: query.to_owned(), ..Default::default() };
        let (delivery, mut report) = (Delivery::Whole, Report::default());
        let answer =
            worker.deliver_reported(&request, &session, Allowed::All, delivery, &mut report);
        let answer = runtime.block_on(answer);
        let answer = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(answer.starts_with("{\"data\":"), "{answer}");
    };
    ask("admin", "{ t2(limit: 1) { id } }");
    let before = allocation::held();
    ask("r0", "{ t2(limit: 1) { id } }");
    allocation::held() - before
}

#[test]
fn permissions_of_a_role_take_little_memory() {
    let (few, many) = (held_of_hasura(10, 0), held_of_hasura(210, 0));
    let a_table = (many.0 - few.0) / 200;
    let (one, five) = (held_of_hasura(210, 1), held_of_hasura(210, 5));
    let a_role = (five.0 - one.0) / (208 * 4);
    let (little, much) = (held_of_hasura(10, 5), five);
    let at_the_start = (much.1 - little.1) / 200;
    assert!(
        a_table < MOST_BYTES_A_TABLE_OF_HASURA
            && a_role < MOST_BYTES_A_ROLE
            && at_the_start < MOST_BYTES_AT_THE_START,
        "{a_table} bytes a table, {a_role} of a role, {at_the_start} at the worst moment"
    );
    let of_a_table = (much.2 - little.2) / 200;
    assert!(
        of_a_table < MOST_BYTES_OF_A_FIRST_REQUEST,
        "{of_a_table} bytes a table for the first request of a role"
    );
}
