//! Requests that are sent at the same time: those of root fields, and beside the source.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use clients::egress::Outcome;
use engine::{Engine, ResolverOptions, SourceAddress, Worker};
use expect_test::expect;
use serde_json::json;
use testkit::http::{HttpServer, Received, Reply};
use testkit::postgres::{required_installations, shared};

use super::{Database, ask, block_on, check_with, local, open, options};

const TYPES: &str = r#"
    type Row {
        id: ID!
        name: String! @id
        remote: String @custom(http: {url: "http://SERVER/of/$name", method: GET})
    }
    type Query {
        one: String @custom(http: {url: "http://SERVER/one", method: GET})
        other: String @custom(http: {url: "http://SERVER/other", method: GET})
        late: String @custom(http: {url: "http://SERVER/late", method: GET})
    }
"#;

const ROWS: &str = r#"mutation { addRow(input: [{name: "a"}, {name: "b"}]) { numUids } }"#;

/// Longer than anything here takes on a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// Both requests have to arrive before one of them is answered.
static BOTH: Barrier = Barrier::new(2);

fn together(received: &Received) -> Reply {
    BOTH.wait();
    Reply::Json(json!(received.target))
}

fn reply(received: &Received) -> Reply {
    match received.target.as_str() {
        "/late" => Reply::Sleep(LONG),
        target => Reply::Json(json!(target)),
    }
}

#[test]
fn root_fields_are_requested_at_the_same_time() {
    let server = HttpServer::start(together);
    let definitions = TYPES.replace("SERVER", &server.address.to_string());
    let database = Database::new();
    let answer = block_on(async {
        let worker = open(&database, &definitions, local()).await.unwrap();
        ask(&worker, "{ one queryRow { name } other again: other }", "{}", &[]).await
    });
    let expected = r#"{"data":{"one":"/one","queryRow":[],"other":"/other","again":"/other"}}"#;
    assert_eq!(answer, expected);
    assert_eq!(server.received().len(), 2);
}

#[test]
fn root_fields_are_requested_while_the_source_answers() {
    let Some(installation) = required_installations().unwrap().into_iter().next() else { return };
    let postgres = shared(&installation).unwrap();
    let name = format!("custom{}", std::process::id());
    postgres.create_database(&name).unwrap();
    let url = postgres.socket_url(&name);
    let server = HttpServer::start(reply);
    let definitions = TYPES.replace("SERVER", &server.address.to_string());
    let answer = block_on(async {
        let (_, mut options) = options(&Database::new(), &definitions);
        options.source.namespaces = vec!["public".into()];
        let address = SourceAddress::Postgres(url.clone());
        let worker = Worker::new(Engine::open(&address, &options).await.unwrap());
        ask(&worker, ROWS, "{}", &[]).await;
        let connected = tokio_postgres::connect(&url, tokio_postgres::NoTls).await;
        let (client, connection) = connected.unwrap();
        let running = tokio::task::spawn_local(connection);
        let lock = r#"BEGIN; LOCK TABLE "Row" IN ACCESS EXCLUSIVE MODE"#;
        client.batch_execute(lock).await.unwrap();
        let released = async {
            let started = Instant::now();
            let mut received = Vec::new();
            while received.is_empty() && started.elapsed() < Duration::from_secs(5) {
                tokio::time::sleep(Duration::from_millis(5)).await;
                received = server.received();
            }
            client.batch_execute("COMMIT").await.unwrap();
            received.iter().map(|received| received.target.clone()).collect::<Vec<_>>()
        };
        let asked = ask(&worker, "{ one queryRow(order: {asc: name}) { remote } }", "{}", &[]);
        let (answer, before) = tokio::join!(asked, released);
        // The source waits for the lock: only the root field is requested.
        assert_eq!(before, ["/one"]);
        drop(client);
        running.await.unwrap().unwrap();
        answer
    });
    let expected = r#"{"data":{"one":"/one","queryRow":[{"remote":"/of/a"},{"remote":"/of/b"}]}}"#;
    assert_eq!(answer, expected);
    assert_eq!(server.received().len(), 2);
}

#[test]
fn requests_of_a_dropped_operation_are_counted_as_abandoned() {
    let server = HttpServer::start(reply);
    let definitions = TYPES.replace("SERVER", &server.address.to_string());
    let database = Database::new();
    let mut resolvers = local();
    resolvers.egress.timeout = LONG;
    block_on(async {
        let worker = open(&database, &definitions, resolvers).await.unwrap();
        let outcomes = || -> Vec<String> {
            let all = worker.engine().resolver_statistics().into_iter().map(|field| {
                let outcomes = Outcome::ALL.into_iter().zip(field.statistics.outcomes);
                let counted = outcomes.filter(|(_, count)| *count > 0);
                let counted: Vec<_> = counted.map(|(outcome, _)| outcome.as_str()).collect();
                format!("{} {}", field.field, counted.join(" "))
            });
            all.collect()
        };
        let asked = ask(&worker, "{ one late }", "{}", &[]);
        // Both are sent at once.
        let answered = async {
            while !outcomes().contains(&"Query.one answered".to_owned()) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::select! {
            answer = asked => panic!("{answer}"),
            () = answered => {}
        }
        let outcomes = outcomes();
        assert!(outcomes.contains(&"Query.late abandoned".to_owned()), "{outcomes:?}");
        assert!(outcomes.contains(&"Query.one answered".to_owned()), "{outcomes:?}");
        assert!(outcomes.contains(&"Query.other ".to_owned()), "{outcomes:?}");
    });
}

#[test]
fn the_limit_counts_root_fields_first() {
    check_with(
        ResolverOptions { most_calls: 2, ..local() },
        reply,
        TYPES,
        ROWS,
        &[
            "{ one queryRow(first: 1) { remote } }",
            "{ queryRow { remote } one }",
            "{ one other late queryRow { name } }",
        ],
        &expect![[r#"
            {"data":{"one":"/one","queryRow":[{"remote":"/of/a"}]}}
              GET /of/a 
              GET /one 
            {"data":{"queryRow":[{"remote":null},{"remote":null}],"one":"/one"},"errors":[{"message":"The operation needs more than 2 requests to other servers: select fewer rows, or fewer custom fields.","locations":[{"line":1,"column":14}],"path":["queryRow",0,"remote"],"extensions":{"code":"TOO_MANY_CALLS"}}]}
              GET /one 
            {"data":{"one":null,"other":null,"late":null,"queryRow":[{"name":"a"},{"name":"b"}]},"errors":[{"message":"The operation needs more than 2 requests to other servers: select fewer rows, or fewer custom fields.","locations":[{"line":1,"column":3}],"path":["one"],"extensions":{"code":"TOO_MANY_CALLS"}}]}
        "#]],
    );
}
