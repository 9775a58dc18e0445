//! Event triggers and cron triggers of a served database: mutations reach webhooks, servers that are
//! killed lose no event, and `thalweg events` works on the log.

mod commands;
mod kills;
mod metadata_api;

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::http::{HttpServer, Received, Reply};

use crate::databases::{Database, File};
use crate::program::{Folder, PATIENCE, Server, outcome, thalweg};

const TABLES: &str = "create table note (id integer primary key, body text);";

/// A database with a table `note`.
enum Notes {
    Postgres(Database),
    Sqlite(File),
}

impl Notes {
    fn each() -> Vec<Self> {
        let postgres = Database::on_each(TABLES).into_iter().take(1).map(Self::Postgres);
        let sqlite = File::new(&["pragma journal_mode = wal;", TABLES].concat());
        postgres.chain([Self::Sqlite(sqlite)]).collect()
    }

    fn source(&self) -> String {
        match self {
            Self::Postgres(database) => database.url(),
            Self::Sqlite(file) => file.source().to_owned(),
        }
    }

    fn execute(&self, sql: &str) {
        match self {
            Self::Postgres(database) => database.execute(&sql.replace("log.", "hdb_catalog.")),
            Self::Sqlite(file) => {
                file.connect().execute_batch(&sql.replace("log.", "thalweg_")).unwrap();
            }
        }
    }

    /// The number that a query returns.
    fn count(&self, sql: &str) -> u64 {
        match self {
            Self::Postgres(database) => database.count(&sql.replace("log.", "hdb_catalog.")),
            Self::Sqlite(file) => {
                let sql = sql.replace("log.", "thalweg_");
                let count = file.connect().query_row(&sql, [], |row| row.get::<_, i64>(0));
                u64::try_from(count.unwrap()).unwrap()
            }
        }
    }

    fn wait_until_done(&self) {
        let sql = "select count(*) from log.event_log where not delivered and not error";
        wait_until("the delivery", || self.count(sql) == 0);
    }
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "{what} takes longer than {PATIENCE:?}");
        sleep(Duration::from_millis(20));
    }
}

fn body(received: &Received) -> Value {
    serde_json::from_str(&received.body).unwrap()
}

/// A file of metadata with these event triggers of `note`, and cron triggers.
fn metadata(folder: &Folder, triggers: &Value, cron: &Value) -> PathBuf {
    let path = folder.file("metadata.json");
    write_metadata(&path, triggers, cron);
    path
}

fn write_metadata(path: &Path, triggers: &Value, cron: &Value) {
    let metadata = json!({
        "version": 3,
        "sources": [{
            "name": "default",
            "kind": "postgres",
            "configuration": { "connection_info": { "database_url": { "from_env": "URL" } } },
            "tables": [{ "table": { "schema": "public", "name": "note" },
                "event_triggers": triggers }],
        }],
        "cron_triggers": cron,
    });
    std::fs::write(path, metadata.to_string()).unwrap();
}

fn trigger(webhooks: &HttpServer, path: &str) -> Value {
    json!({
        "name": "notify",
        "webhook": format!("http://{}{path}", webhooks.address),
        "definition": { "enable_manual": true, "insert": { "columns": "*" } },
        "retry_conf": { "num_retries": 3, "interval_sec": 1, "timeout_sec": 5 },
    })
}

fn serve(notes: &Notes, metadata: &Path, options: &[&str]) -> Server {
    let source = notes.source();
    let words = ["serve", &source, "--dialect", "hasura", "--metadata", metadata.to_str().unwrap()];
    let words = [&words[..], &["--listen", "127.0.0.1:0"], options].concat();
    Server::start(&words)
}

fn stop(mut server: Server) {
    server.signal("TERM");
    assert!(server.child.wait().unwrap().success());
}

#[test]
fn mutations_reach_webhooks_and_metrics_count_them() {
    for notes in Notes::each() {
        let webhooks = HttpServer::start(|_| Reply::Json(json!({})));
        let folder = Folder::new();
        let metadata = metadata(&folder, &json!([trigger(&webhooks, "/a")]), &json!([]));
        let server =
            serve(&notes, &metadata, &["--events", "install", "--metrics-listen", "127.0.0.1:0"]);
        assert!(server.said.contains("installing what events need"), "{}", server.said);
        let answer = server
            .query("", r#"mutation { insert_note_one(object: { id: 7, body: "x" }) { id } }"#);
        assert_eq!(answer.body, r#"{"data":{"insert_note_one":{"id":7}}}"#);
        wait_until("the event", || {
            notes.count("select count(*) from log.event_log where delivered") == 1
        });
        let received = webhooks.received();
        assert_eq!(received.len(), 1);
        let body = body(&received[0]);
        assert_eq!(body["event"]["data"]["new"], json!({ "id": 7, "body": "x" }));
        assert_eq!(body["table"], json!({ "schema": "public", "name": "note" }));
        let listening = server.said.lines().find(|line| line.contains("metrics at http://"));
        let listening = listening.unwrap_or_else(|| panic!("{}", server.said));
        let address = listening.split("http://").nth(1).unwrap().split('/').next().unwrap();
        let metrics = get(address);
        let expected = r#"thalweg_event_attempts_total{log="event",outcome="delivered"} 1"#;
        assert!(metrics.contains(expected), "{metrics}");
        assert!(metrics.contains("thalweg_events_running 0"), "{metrics}");
        stop(server);
    }
}

#[test]
fn events_of_postgres_have_the_session_variables_of_the_mutation() {
    for notes in Notes::each() {
        let Notes::Postgres(database) = &notes else { continue };
        let webhooks = HttpServer::start(|_| Reply::Json(json!({})));
        let folder = Folder::new();
        let metadata = metadata(&folder, &json!([trigger(&webhooks, "/a")]), &json!([]));
        let options = ["--events", "install", "--threads", "1", "--connections", "1"];
        let server = serve(&notes, &metadata, &options);
        let insert = |id: u32, header: &str| {
            let query = format!("mutation {{ insert_note_one(object: {{ id: {id} }}) {{ id }} }}");
            let answer = server.query(header, &query);
            assert_eq!(answer.body, format!(r#"{{"data":{{"insert_note_one":{{"id":{id}}}}}}}"#));
        };
        insert(1, "X-Hasura-User-Id: 7\r\n");
        // By the same connection, whose setting is another one now.
        insert(2, "");
        notes.wait_until_done();
        let texts = database.texts(
            "select coalesce((payload -> 'session_variables')::text, '-')
             from hdb_catalog.event_log order by payload #> '{data,new,id}'",
        );
        let first = r#"{"x-hasura-role": "admin", "x-hasura-user-id": "7"}"#;
        assert_eq!(texts, [first, r#"{"x-hasura-role": "admin"}"#]);
        stop(server);
    }
}

/// The body of a GET request.
fn get(address: &str) -> String {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn missing_triggers_are_told_and_reloads_change_what_is_delivered() {
    for notes in Notes::each() {
        let webhooks = HttpServer::start(|_| Reply::Json(json!({})));
        let folder = Folder::new();
        let metadata = metadata(&folder, &json!([]), &json!([]));
        let mut server = serve(&notes, &metadata, &["--events", "install"]);
        write_metadata(&metadata, &json!([trigger(&webhooks, "/a")]), &json!([]));
        server.signal("HUP");
        wait_for_line(&mut server, "reloaded;");
        notes.execute("insert into note (id) values (1)");
        wait_until("the event", || !webhooks.received().is_empty());
        write_metadata(&metadata, &json!([trigger(&webhooks, "/b")]), &json!([]));
        server.signal("HUP");
        wait_for_line(&mut server, "reloaded;");
        // The delivery takes new definitions when it looks the next time.
        sleep(Duration::from_millis(1_500));
        notes.execute("insert into note (id) values (2)");
        let mut received = Vec::new();
        wait_until("the event", || {
            received.extend(webhooks.received());
            !received.is_empty()
        });
        assert_eq!(received[0].target, "/b");
        stop(server);
        let mut other = trigger(&webhooks, "/a");
        other["definition"] = json!({ "update": { "columns": ["body"] } });
        write_metadata(&metadata, &json!([other]), &json!([]));
        let server = serve(&notes, &metadata, &[]);
        let told = "events need another database: `thalweg events install` changes it";
        assert!(server.said.contains(told), "{}", server.said);
        stop(server);
        let server = serve(&notes, &metadata, &["--events", "off"]);
        assert!(!server.said.contains(told), "{}", server.said);
        stop(server);
    }
}

fn wait_for_line(server: &mut Server, text: &str) {
    use std::io::BufRead;
    let mut line = String::new();
    while !line.contains(text) {
        line.clear();
        assert!(server.log.read_line(&mut line).unwrap() > 0, "the log has ended");
    }
}

#[test]
fn wrong_triggers_keep_a_server_from_starting() {
    for notes in Notes::each() {
        let webhooks = HttpServer::start(|_| Reply::Json(json!({})));
        let folder = Folder::new();
        let check = |trigger: &Value, expected: &str| {
            let metadata = metadata(&folder, &json!([trigger]), &json!([]));
            let source = notes.source();
            let output = thalweg(&["serve", &source, "--dialect", "hasura", "--metadata"])
                .arg(&metadata)
                .args(["--listen", "127.0.0.1:0"])
                .output()
                .unwrap();
            let (code, _, errors) = outcome(&output);
            assert_eq!(code, Some(2), "{errors}");
            assert!(errors.contains(expected), "{errors}");
        };
        let mut wrong = trigger(&webhooks, "/a");
        wrong["definition"]["insert"]["payload"] = json!(["bodi"]);
        check(&wrong, r#"has no column "bodi""#);
        wrong["webhook"] = json!("{{NO_SUCH_VARIABLE}}");
        check(&wrong, "the environment variable NO_SUCH_VARIABLE is not set");
        let mut wrong = trigger(&webhooks, "/a");
        wrong["request_transform"] =
            json!({ "version": 2, "template_engine": "Kriti", "url": "{{$nothing}}" });
        check(&wrong, "request_transform.url: ");
    }
}

#[test]
fn cron_triggers_are_delivered() {
    for notes in Notes::each() {
        let webhooks = HttpServer::start(|_| Reply::Json(json!({})));
        let folder = Folder::new();
        let cron = json!([{
            "name": "tick",
            "webhook": format!("http://{}/tick", webhooks.address),
            "schedule": "0 0 1 1 *",
            "include_in_metadata": true,
            "payload": { "a": 1 },
        }]);
        let metadata = metadata(&folder, &json!([]), &cron);
        let server = serve(&notes, &metadata, &["--events", "install"]);
        let of_postgres = matches!(notes, Notes::Postgres(_));
        let (table, moment) = match of_postgres {
            true => ("log.hdb_cron_events", "now()"),
            false => ("log.cron_events", "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"),
        };
        notes.execute(&format!(
            "insert into {table} (trigger_name, scheduled_time) values ('tick', {moment})"
        ));
        let mut received = Vec::new();
        wait_until("the event", || {
            received.extend(webhooks.received());
            !received.is_empty()
        });
        assert_eq!(body(&received[0])["payload"], json!({ "a": 1 }));
        stop(server);
    }
}
