//! PostgreSQL in the gateway's process: whoever asks the gateway is who asks the database.

use std::fs;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use testkit::postgres::{Server as Postgres, required_installations, shared};
use testkit::tokens::Issuer;

use crate::gateway::site::refused;
use crate::gateway::watched::{check, scrape};
use crate::program::{Folder, PATIENCE, Server, outcome, run};

const SECRET: &str = "a secret of more than thirty-two bytes";

const HEAD: &str = include_str!("shop.graphql");

/// How many requests are sent to a source that hangs, and how many of them it may have at once.
const REQUESTS: usize = 24;
const AT_ONCE: usize = 4;

/// Letters with their readers, who see their own ones; what takes for ever; and what waits for a lock.
const TABLES: &str = "
    CREATE SCHEMA post;
    CREATE TABLE post.letter (
        id integer PRIMARY KEY, reader text NOT NULL, text text, tags text[]);
    INSERT INTO post.letter VALUES
        (1, 'ann', 'Dear Ann', ARRAY['a', 'b\"c', NULL]), (2, 'bob', 'Dear Bob', NULL);
    ALTER TABLE post.letter ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own ON post.letter TO gateway_reader
        USING (reader = current_setting('jwt.claims.name', true));
    CREATE FUNCTION post.wait() RETURNS integer LANGUAGE sql STABLE
        AS 'SELECT 1 FROM pg_sleep(600)';
    CREATE FUNCTION post.locked() RETURNS integer LANGUAGE sql STABLE
        AS 'SELECT 1 FROM pg_advisory_xact_lock_shared(7)';
    GRANT USAGE ON SCHEMA post TO gateway_reader;
    GRANT SELECT, UPDATE ON post.letter TO gateway_reader;";

/// Letters of one database twice: their texts are of one dialect, their readers of another one.
const TYPES: &str = r#"
enum join__Graph {
  TEXTS @join__graph(name: "texts", url: "")
  READERS @join__graph(name: "readers", url: "")
}

type Query @join__type(graph: TEXTS) @join__type(graph: READERS) {
  allLettersList: [Letter!] @join__field(graph: TEXTS)
  wait: Int @join__field(graph: TEXTS)
  locked: Int @join__field(graph: TEXTS)
  letters(limit: Int): [Letter] @join__field(graph: READERS)
}

type Mutation @join__type(graph: TEXTS) {
  updateLetterById(input: UpdateLetterByIdInput!): UpdateLetterPayload
}

input UpdateLetterByIdInput @join__type(graph: TEXTS) {
  id: Int!
  letterPatch: LetterPatch!
}

input LetterPatch @join__type(graph: TEXTS) {
  text: String
}

type UpdateLetterPayload @join__type(graph: TEXTS) {
  letter: Letter
}

type Letter @join__type(graph: TEXTS, key: "id") @join__type(graph: READERS, key: "id") {
  id: Int @join__field(graph: TEXTS, type: "Int!") @join__field(graph: READERS, type: "Int")
  text: String @join__field(graph: TEXTS)
  tags: [String] @join__field(graph: TEXTS)
  reader: String @join__field(graph: READERS)
}
"#;

/// The files of a gateway over a database of this name.
fn prepare(postgres: &Postgres, name: &str) -> Folder {
    let role = "DO $$ BEGIN CREATE ROLE gateway_reader; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$";
    postgres.create_database(name).unwrap();
    postgres.execute(name, role).unwrap();
    postgres.execute(name, TABLES).unwrap();
    let folder = Folder::new();
    let (head, _) = HEAD.split_once("enum join__Graph").unwrap();
    fs::write(folder.file("supergraph.graphql"), [head, TYPES].concat()).unwrap();
    let source = format!("source = '{}'\nschema = ['post']\n", postgres.url(name));
    let subgraphs = format!(
        "[subgraphs.texts]\n{source}timeout = '2s'\n[subgraphs.readers]\n{source}dialect = 'phrag'\n"
    );
    fs::write(folder.file("subgraphs.toml"), subgraphs).unwrap();
    folder
}

fn start(folder: &Folder, options: &[&str]) -> Server {
    let (supergraph, subgraphs) =
        (folder.file("supergraph.graphql"), folder.file("subgraphs.toml"));
    let usual = ["gateway", supergraph.to_str().unwrap(), "--listen", "127.0.0.1:0"];
    let subgraphs = ["--subgraphs", subgraphs.to_str().unwrap()];
    Server::start(&[&usual[..], &subgraphs, options].concat())
}

#[test]
fn a_list_within_a_column_is_a_list() {
    for installation in required_installations().unwrap() {
        let folder = prepare(shared(&installation).unwrap(), "gateway_parts");
        let server = start(&folder, &[]);
        let tags = server.query("", "{ letters { reader tags } }").body;
        assert_eq!(
            tags,
            r#"{"data":{"letters":[{"reader":"ann","tags":["a","b\"c",null]},{"reader":"bob","tags":null}]}}"#
        );
    }
}

#[test]
fn connections_are_counted_by_their_subgraphs() {
    for installation in required_installations().unwrap() {
        let folder = prepare(shared(&installation).unwrap(), "gateway_counts");
        let server = start(&folder, &["--metrics-listen", "127.0.0.1:0", "--threads", "1"]);
        server.query("", "{ letters { reader } }");
        check(
            &scrape(&server),
            &[
                r#"thalweg_database_connections{subgraph="readers",state="idle"} 1"#,
                r#"thalweg_database_connections{subgraph="readers",state="used"} 0"#,
                r#"thalweg_database_acquired_total{subgraph="readers"} 1"#,
                r#"thalweg_database_acquired_total{subgraph="texts"} 0"#,
                r#"thalweg_database_waiting{subgraph="texts"} 0"#,
            ],
        );
    }
}

#[test]
fn row_level_security_sees_who_asks_the_gateway() {
    for installation in required_installations().unwrap() {
        let postgres = shared(&installation).unwrap();
        let folder = prepare(postgres, "gateway_letters");
        let server = start(&folder, &["--jwt-secret", SECRET]);
        let ask = |name: &str, query: &str| {
            let claims = format!(r#"{{"role":"gateway_reader","name":"{name}"}}"#);
            let token = Issuer::secret(SECRET).token(&claims);
            server.query(&format!("Authorization: Bearer {token}\r\n"), query).body
        };
        let all = "{ allLettersList { text reader } letters { text reader } }";
        assert_eq!(
            ask("ann", all),
            r#"{"data":{"allLettersList":[{"text":"Dear Ann","reader":"ann"}],"letters":[{"text":"Dear Ann","reader":"ann"}]}}"#
        );
        let change = "mutation { updateLetterById(input: {id: 2, letterPatch: {text: \"x\"}}) { letter { text reader } } }";
        let refused = ask("ann", change);
        assert!(refused.starts_with(r#"{"data":{"updateLetterById":null},"errors""#), "{refused}");
        assert_eq!(
            ask("bob", change),
            r#"{"data":{"updateLetterById":{"letter":{"text":"x","reader":"bob"}}}}"#
        );
        // Without a token it is the user of the connection who asks.
        let texts = server.query("", "{ allLettersList { text } }").body;
        assert_eq!(texts, r#"{"data":{"allLettersList":[{"text":"Dear Ann"},{"text":"x"}]}}"#);
    }
}

#[test]
fn an_operation_is_explained_for_the_role_and_the_claims() {
    for installation in required_installations().unwrap() {
        let folder = prepare(shared(&installation).unwrap(), "gateway_explained");
        let query = folder.file("query.graphql");
        fs::write(&query, "{ allLettersList { text reader } }").unwrap();
        let (supergraph, subgraphs) =
            (folder.file("supergraph.graphql"), folder.file("subgraphs.toml"));
        let usual = ["explain", supergraph.to_str().unwrap(), query.to_str().unwrap()];
        let usual = [&usual[..], &["--subgraphs", subgraphs.to_str().unwrap(), "--analyze"]];
        // The line of the request for the readers of the letters that were found.
        let check = |more: &[&str], expected: &str| {
            let (code, told, error) = outcome(&run(&[&usual.concat(), more].concat()));
            assert_eq!(code, Some(0), "{more:?}: {error}");
            let (_, requests) = told.split_once("\n-- requests\n").unwrap();
            let found = requests.lines().find(|line| line.starts_with("2. readers: ")).unwrap();
            assert!(found.contains(expected), "{more:?}: {requests}");
        };
        // Without a token it is the user of the connection who asks, or the default role.
        check(&[], ", 2 objects, ");
        check(&["--default-role", "gateway_reader"], "there was nothing to ask");
        let reader = ["--default-role", "gateway_reader", "--pg-setting", "jwt.claims.name=bob"];
        check(&reader, ", 1 object, ");
        let ann = r#"{"name":"ann"}"#;
        check(&["--role", "gateway_reader", "--claims", ann], ", 1 object, ");
        check(&["--claims", r#"{"role":"gateway_reader","name":"ann"}"#], ", 1 object, ");
        check(&["--role", "gateway_reader", "--claims", r#"{"name":"cas"}"#], "nothing to ask");
        check(&["--default-role", "gateway_reader", "--claims", ann], ", 1 object, ");
        // The claim of the role, and the claims that are settings, are those of a server.
        let elsewhere = ["--jwt-role", "app,role", "--role", "gateway_reader", "--claims"];
        check(&[&elsewhere[..], &[r#"{"app":{"x":1},"name":"ann"}"#]].concat(), ", 1 object, ");
        let none = ["--jwt-claims", "email", "--role", "gateway_reader", "--claims", ann];
        check(&none, "nothing to ask");
        check(&["--role", "nobody_of_this_name"], "not sent");
        let mut wrong = [&usual.concat(), &elsewhere[..], &[r#"{"app":1}"#]].concat();
        let error = refused(&wrong);
        assert!(error.contains("from the claim `app`, which is not an object"), "{error}");
        wrong.truncate(usual.concat().len());
        wrong.extend(["--claims", r#"{"role":7}"#]);
        let error = refused(&wrong);
        assert!(error.contains("its role cannot be one"), "{error}");
    }
}

#[test]
fn a_source_that_takes_too_long_is_given_up_and_its_statement_ended() {
    for installation in required_installations().unwrap() {
        let postgres = shared(&installation).unwrap();
        let folder = prepare(postgres, "gateway_waits");
        let mut server = start(&folder, &["--default-role", "gateway_reader"]);
        let answer = server.query("", "{ wait letters { reader } }").body;
        let data = r#"{"data":{"wait":null,"letters":[]},"errors":[{"message":"#;
        assert!(answer.starts_with(data), "{answer}");
        let waiting = "SELECT count(*) FROM pg_stat_activity \
                       WHERE state = 'active' AND query LIKE '%post%wait%' AND pid <> pg_backend_pid()";
        let mut left = String::from("1");
        for _ in 0..200 {
            left = postgres.query("gateway_waits", waiting).unwrap()[0][0].clone().unwrap();
            if left == "0" {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        assert_eq!(left, "0");
        server.signal("TERM");
        let log = server.rest_of_log();
        assert!(log.contains("the source did not respond within 2s"), "{log}");
    }
}

/// A lock that somebody else holds until this is dropped.
struct Lock<'p> {
    postgres: &'p Postgres,
    database: &'p str,
}

impl<'p> Lock<'p> {
    const HOLDER: &'static str = "FROM pg_locks WHERE locktype = 'advisory' AND granted \
        AND mode = 'ExclusiveLock' AND objid = 7 \
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

    fn take(postgres: &'static Postgres, database: &'static str) -> Self {
        // It ends by an error, when its session is ended.
        let hold = "SELECT pg_advisory_lock(7); SELECT pg_sleep(3600)";
        thread::spawn(move || drop(postgres.execute(database, hold)));
        let (started, held) = (Instant::now(), ["SELECT count(*) ", Self::HOLDER].concat());
        while postgres.query(database, &held).unwrap()[0][0].as_deref() != Some("1") {
            assert!(started.elapsed() < PATIENCE, "the lock is not taken");
            thread::sleep(Duration::from_millis(10));
        }
        Self { postgres, database }
    }
}

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        let end = ["SELECT pg_terminate_backend(pid) ", Self::HOLDER].concat();
        drop(self.postgres.query(self.database, &end));
    }
}

#[test]
fn while_a_source_hangs_requests_to_others_are_answered() {
    const DATABASE: &str = "gateway_hangs";
    let check = |postgres: &'static Postgres, more: &str, options: &[&str]| {
        let folder = prepare(postgres, DATABASE);
        let file = folder.file("subgraphs.toml");
        let subgraphs = fs::read_to_string(&file).unwrap();
        fs::write(&file, subgraphs.replace("timeout = '2s'\n", more)).unwrap();
        let usual = ["--max-requests", "8", "--metrics-listen", "127.0.0.1:0"];
        let server = start(&folder, &[&usual[..], options].concat());
        let lock = Lock::take(postgres, DATABASE);
        thread::scope(|scope| {
            let (tell, told) = mpsc::channel();
            for _ in 0..REQUESTS {
                let (tell, server) = (tell.clone(), &server);
                scope.spawn(move || tell.send(server.query("", "{ locked }").body).unwrap());
            }
            // All but those that the source has are told so, however many there are.
            for _ in 0..REQUESTS - AT_ONCE {
                let body = told.recv().unwrap();
                assert!(body.contains(r#""code":"SUBGRAPH_OVERLOADED""#), "{body}");
            }
            let letters = r#"[{"reader":"ann"},{"reader":"bob"}]"#;
            for _ in 0..REQUESTS {
                let body = server.query("", "{ letters { reader } }").body;
                assert_eq!(body, format!(r#"{{"data":{{"letters":{letters}}}}}"#));
            }
            let body = server.query("", "{ locked letters { reader } }").body;
            let part = format!(r#"{{"data":{{"locked":null,"letters":{letters}}},"errors":[{{"#);
            assert!(body.starts_with(&part) && body.contains("SUBGRAPH_OVERLOADED"), "{body}");
            let change = "mutation { updateLetterById(input: {id: 1, letterPatch: {text: \"x\"}}) { letter { id } } }";
            let body = server.query("", change).body;
            assert!(body.contains("SUBGRAPH_OVERLOADED"), "{body}");
            assert_scraped(&server);
            drop(lock);
            for _ in 0..AT_ONCE {
                assert_eq!(told.recv().unwrap(), r#"{"data":{"locked":1}}"#);
            }
        });
        assert_eq!(server.query("", "{ locked }").body, r#"{"data":{"locked":1}}"#);
        drop(server);
        postgres.drop_database(DATABASE).unwrap();
    };
    for installation in required_installations().unwrap() {
        let postgres = shared(&installation).unwrap();
        check(postgres, "", &[]);
        check(postgres, "max-requests = 4\n", &["--max-subgraph-requests", "100%"]);
    }
}

fn assert_scraped(server: &Server) {
    let metrics = scrape(server);
    check(
        &metrics,
        &[
            r#"thalweg_subgraph_requests_running{subgraph="texts"} 4"#,
            r#"thalweg_subgraph_requests_waiting{subgraph="texts"} 0"#,
            r#"thalweg_subgraph_requests_total{subgraph="texts",outcome="overloaded"} 22"#,
            r#"thalweg_subgraph_requests_total{subgraph="readers",outcome="answered"} 25"#,
            r#"thalweg_subgraph_requests_running{subgraph="readers"} 0"#,
            r#"thalweg_subgraph_duration_seconds_count{subgraph="readers"} 25"#,
        ],
    );
    assert!(!metrics.contains("thalweg_subgraph_connections{"), "{metrics}");
}

#[test]
fn what_is_for_databases_needs_one() {
    let folder = Folder::new();
    let (head, _) = HEAD.split_once("enum join__Graph").unwrap();
    let supergraph = folder.file("supergraph.graphql");
    fs::write(&supergraph, [head, TYPES].concat()).unwrap();
    let subgraphs = folder.file("subgraphs.toml");
    fs::write(&subgraphs, "[subgraphs.texts]\nsource = 'texts.db'\n").unwrap();
    let (supergraph, subgraphs) = (supergraph.to_str().unwrap(), subgraphs.to_str().unwrap());
    let usual = ["gateway", supergraph, "--subgraphs", subgraphs];
    let error = refused(&[&usual[..], &["--default-role", "reader"]].concat());
    assert!(error.contains("`--default-role` is for PostgreSQL, which no `source`"), "{error}");
    let error = refused(&[&usual[..], &["--shared-connections", "1"]].concat());
    assert!(error.contains("`--shared-connections` is for PostgreSQL"), "{error}");
    let error = refused(&[&usual[..], &["--connect-timeout", "1s"]].concat());
    assert!(error.contains("`--connect-timeout` is for databases that are servers"), "{error}");
}
