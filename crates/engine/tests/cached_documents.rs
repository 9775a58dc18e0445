//! The cache of documents takes what it is allowed, and keeps what is asked for again.

use std::sync::Arc;

use dialects::{Dialect, phrag, postgraphile};
use engine::{Allowed, Engine, OpenOptions, Options, SourceAddress, Worker};
use graphql::Request;
use rusqlite::Connection;
use testkit::allocation;
use tokio::runtime::{Builder, Runtime};

/// How many documents of one form are sent, before those whose bytes are counted and as these.
const DOCUMENTS: usize = 60;

const TABLES: &str = "
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born INTEGER, home TEXT);
    CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, price NUMERIC(8, 2), year INTEGER,
      author_id INTEGER NOT NULL REFERENCES author (id));
    CREATE INDEX book_author ON book (author_id);
    INSERT INTO author VALUES (1, 'A', 1900, 'B'), (2, 'B', 1901, 'C');
    INSERT INTO book VALUES (1, 'C', 1.5, 1950, 1), (2, 'D', 2, 1951, 1), (3, NULL, NULL, 1, 2);";

/// From the shortest to long ones; `NUMBER` makes each its own.
const POSTGRAPHILE: [&str; 9] = [
    "{ xNUMBER: __typename }",
    "{ xNUMBER: authorById(id: 1) { id name } }",
    "query ($n: Int!) { xNUMBER: allBooks(first: $n, orderBy: [YEAR_DESC, ID_ASC],
       condition: { year: 1950 }) { totalCount nodes { id title price
       authorByAuthorId { name born } } pageInfo { hasNextPage endCursor } } }",
    "{ xNUMBER: allAuthors(first: 2, orderBy: NAME_DESC) { nodes { name booksByAuthorId { nodes {
       id title authorByAuthorId { name booksByAuthorId { nodes { id title year } } } } } } } }",
    "query ($yes: Boolean = true) { xNUMBER: allAuthors { nodes { ...A ... @include(if: $yes) {
       booksByAuthorId(first: 3) { edges { cursor node { ...B } } } } } } a: authorById(id: 1) {
       ...A } b: authorById(id: 2) { ...A } }
     fragment A on Author { nodeId id name born home }
     fragment B on Book { nodeId id title price year author: authorByAuthorId { ...A } }",
    "{ xNUMBER: allAuthors { nodes { a: id b: id c: id d: id e: id f: name g: name h: name
       i: born j: born k: home l: home m: booksByAuthorId { totalCount }
       n: booksByAuthorId(condition: { year: 1 }) { totalCount } } } }",
    // Deep.
    "{ xNUMBER: allAuthors { nodes { booksByAuthorId(first: 2) { nodes { authorByAuthorId { booksByAuthorId(first: 2) {
       nodes { authorByAuthorId { booksByAuthorId(first: 2) { nodes { authorByAuthorId { booksByAuthorId(first: 2) {
       nodes { authorByAuthorId { booksByAuthorId(first: 2) { nodes { id } } } } } } } } } } } } } } } } }",
    // Of many types, by an interface.
    "query ($id: ID = \"WyJhdXRob3JzIiwxXQ==\") { xNUMBER: node(nodeId: $id) { nodeId __typename
       ... on Author { id name born home booksByAuthorId { nodes { title } } }
       ... on Book { id title price year authorByAuthorId { name } } } }",
    // Many variables.
    "query ($n: Int, $a: Int = 1, $b: Int = 2, $c: Int = 3, $d: Int = 4, $e: Cursor, $f: Cursor,
       $g: BookCondition = { year: 7, title: \"g\" }, $h: [BooksOrderBy!] = [TITLE_ASC],
       $i: Boolean = true, $j: Boolean = false, $k: Boolean = true) {
       xNUMBER: allBooks(first: $n, offset: $a, condition: $g, orderBy: $h) { nodes {
         id @include(if: $i) title @skip(if: $j) price @include(if: $k) } }
       y: allBooks(last: $b, before: $e) { nodes { id } }
       z: allBooks(first: $c, after: $f) { nodes { id } }
       v: allAuthors(first: $d) { nodes { id } } }",
];

const PHRAG: [&str; 2] = [
    "query ($id: Int!) { xNUMBER: authors(where: { id: { eq: $id } }) { id name } }",
    "{ xNUMBER: authors(limit: 2, sort: { name: desc }, where: { or: [{ id: { eq: 2 } },
       { name: { like: \"%A%\" } }] }) { name books(limit: 3) { id title author { name } } } }",
];

/// What the cache may take.
const CACHE_BYTES: u64 = 64 << 20;

/// The numbers of the documents that are sent again and again.
const USUAL: usize = 100_000;

struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("thalweg-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Connection::open(folder.join("books.db")).unwrap().execute_batch(TABLES).unwrap();
        Self(folder)
    }

    fn open(&self, dialect: Dialect) -> Arc<Engine> {
        let address = SourceAddress::parse(self.0.join("books.db").to_str().unwrap()).unwrap();
        let (source, limits) = (OpenOptions::default(), engine::Limits::default());
        let (connections, errors) =
            (engine::PoolLimits::unshared(1), engine::ErrorOptions::default());
        let policies = None;
        let federation = None;
        let schema_first = None;
        let options = Options {
            source,
            limits,
            errors,
            policies,
            federation,
            schema_first,
            ..Options::new(dialect, connections)
        };
        runtime().block_on(Engine::open(&address, &options)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn ask(runtime: &Runtime, worker: &Worker, document: &str, number: usize) {
    execute(runtime, worker, &request(document, number));
}

fn request(document: &str, number: usize) -> Request {
    let document = document.replace("NUMBER", &format!("{number:06}"));
    let variables = serde_json::json!({ "n": 2, "id": 1 });
    let body = serde_json::json!({ "query": document, "variables": variables }).to_string();
    Request::from_json(body.as_bytes()).unwrap()
}

fn execute(runtime: &Runtime, worker: &Worker, request: &Request) {
    let response = runtime.block_on(worker.execute(request, Allowed::All));
    let answer = String::from_utf8_lossy(&response.body);
    assert!(answer.starts_with("{\"data\":"), "{answer}");
}

/// What the cache says that a document takes, and what it does take.
fn bytes_a_document(engine: &Arc<Engine>, document: &str) -> (f64, f64) {
    let runtime = runtime();
    let worker = Worker::new(Arc::clone(engine));
    // Whatever is made once is made by these.
    for number in 0..DOCUMENTS {
        ask(&runtime, &worker, document, number);
    }
    let (held, cached) = (allocation::held(), engine.cached());
    for number in DOCUMENTS..2 * DOCUMENTS {
        ask(&runtime, &worker, document, number);
    }
    let (held_then, cached_then) = (allocation::held(), engine.cached());
    assert_eq!(cached_then.documents - cached.documents, DOCUMENTS, "{document}");
    let a_document = |bytes: f64| bytes / DOCUMENTS as f64;
    let said = (cached_then.bytes - cached.bytes) as f64;
    (a_document(said), a_document((held_then - held) as f64))
}

#[test]
fn a_document_takes_what_the_cache_says() {
    let folder = Folder::new("cached-bytes");
    let postgraphile = folder.open(Dialect::PostGraphile(postgraphile::Options::default()));
    let phrag = folder.open(Dialect::Phrag(phrag::Options::default()));
    let all = POSTGRAPHILE.iter().map(|document| (&postgraphile, document));
    for (engine, document) in all.chain(PHRAG.iter().map(|document| (&phrag, document))) {
        let (said, taken) = bytes_a_document(engine, document);
        assert!(
            (0.8..=1.2).contains(&(said / taken)),
            "the cache says {said:.0} bytes where {taken:.0} are taken: {document}"
        );
    }
}

#[test]
fn documents_that_are_sent_once_take_no_place_of_others_and_no_more_memory() {
    let folder = Folder::new("sent-once");
    let engine = folder.open(Dialect::PostGraphile(postgraphile::Options::default()));
    let (runtime, worker) = (runtime(), Worker::new(Arc::clone(&engine)));
    let usual = |number| USUAL + number;
    for number in (0..50).chain(0..50) {
        ask(&runtime, &worker, POSTGRAPHILE[1], usual(number));
    }
    // Far more than there is room for.
    let held = allocation::held();
    let mut sent = 0;
    let mut most = 0;
    while sent < 1_500 {
        ask(&runtime, &worker, &long_document(), sent);
        most = most.max(allocation::held() - held);
        sent += 1;
    }
    let cached = engine.cached();
    assert!(cached.documents < sent, "all {sent} documents are kept: {cached:?}");
    assert!(cached.bytes <= CACHE_BYTES, "{cached:?}");
    assert!(most < CACHE_BYTES as isize * 4 / 3, "{most} bytes are taken: {cached:?}");
    for number in 0..50 {
        let made = allocation::made();
        ask(&runtime, &worker, POSTGRAPHILE[1], usual(number));
        let known = allocation::made() - made;
        let made = allocation::made();
        ask(&runtime, &worker, POSTGRAPHILE[1], 2 * USUAL + number);
        let new = allocation::made() - made;
        assert!(2 * known < new, "{number}: {known} allocations, {new} for a new document");
    }
}

#[test]
fn what_threads_plan_at_once_is_kept_once() {
    let folder = Folder::new("at-once");
    let open = || folder.open(Dialect::PostGraphile(postgraphile::Options::default()));
    let (one, many) = (open(), open());
    let worker = Worker::new(Arc::clone(&one));
    // Of the last ones the document is known, and what they ask is another plan.
    for (number, skips) in (0..60).map(|number| (number % 30, number >= 30)) {
        let document = "query ($skips: Boolean!) { xNUMBER: authorById(id: 1) { id
            books: booksByAuthorId @skip(if: $skips) { nodes { title } } } }";
        let document = document.replace("NUMBER", &format!("{number:06}"));
        let body = serde_json::json!({ "query": document, "variables": { "skips": skips } });
        let request = Request::from_json(body.to_string().as_bytes()).unwrap();
        worker.prepare(&request).unwrap();
        let barrier = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let worker = Worker::new(Arc::clone(&many));
                    barrier.wait();
                    worker.prepare(&request).unwrap();
                });
            }
        });
    }
    assert_eq!(many.cached(), one.cached());
}

#[test]
fn an_answer_like_the_last_is_written_where_there_is_room_for_it() {
    let folder = Folder::new("room");
    let engine = folder.open(Dialect::PostGraphile(postgraphile::Options::default()));
    let (runtime, worker) = (runtime(), Worker::new(Arc::clone(&engine)));
    let known = |document: &str| {
        let request = request(document, 0);
        execute(&runtime, &worker, &request);
        let made = allocation::made();
        execute(&runtime, &worker, &request);
        allocation::made() - made
    };
    let (short, long) = (known(POSTGRAPHILE[1]), known(&long_document()));
    assert!(long <= short + 1, "{short} allocations for a short answer, {long} for a long one");
}

/// One with many fields, which takes much room.
fn long_document() -> String {
    let fields: String = (0..240).map(|number| format!(" f{number}: name")).collect();
    format!("{{ xNUMBER: authorById(id: 1) {{{fields} }} }}")
}
