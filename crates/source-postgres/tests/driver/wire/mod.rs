//! The PostgreSQL client against a real server.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "the lints' exception for tests does not reach their helping functions"
)]

use std::time::{Duration, Instant};

use response::MemoryBudget;
use source_postgres::wire::{Connection, Parameter, Transaction, WireError, connect_simple};

mod foreign;
mod names;
mod pool;
mod poolers;
mod wire_server;

use wire_server::client::{config, connect, print, query, run, statement};

fn text(value: &str) -> Parameter<'_> {
    Parameter::Text(value.as_bytes())
}

/// The SQLSTATE, and which execution it was.
fn code(error: WireError) -> (String, Option<usize>) {
    match error {
        WireError::Database { error, execution } => (error.code, execution),
        WireError::Authentication(error) => (error.code, None),
        other => (format!("{other:?}"), None),
    }
}

#[test]
fn a_connection_can_be_sent_to_another_thread() {
    fn is_send<T: Send>(_: impl FnOnce() -> T) {}
    is_send(|| async {
        let mut connection = Connection::connect(&config("")).await.unwrap();
        let mut results = Vec::new();
        let mut pipeline = connection.pipeline();
        pipeline.execute(&statement("SELECT 1"), []).unwrap();
        pipeline.flush_and_read(&mut results).await.unwrap();
        pipeline.sync_and_read(&mut results).await.unwrap();
        (connection, results)
    });
}

#[tokio::test]
async fn a_session_over_a_unix_socket_is_pinned_but_for_its_time_zone() {
    let Some(server) = wire_server::shared() else { return };
    let mut connection = connect(&server.socket_url()).await;
    let settings = "SELECT string_agg(name || '=' || setting, ' ' ORDER BY lower(name)) \
                    FROM pg_settings WHERE lower(name) IN ('application_name', 'bytea_output', \
                    'client_encoding', 'datestyle', 'extra_float_digits', 'intervalstyle', \
                    'timezone')";
    assert_eq!(
        query(&mut connection, settings).await,
        "application_name=thalweg bytea_output=hex client_encoding=UTF8 DateStyle=ISO, MDY \
         extra_float_digits=1 IntervalStyle=postgres TimeZone=Asia/Tokyo"
    );
    assert!(!connection.server_version().is_empty());
    assert!(!connection.is_encrypted());
}

#[tokio::test]
async fn passwords_are_proven_in_each_way() {
    let Some(server) = wire_server::shared() else { return };
    for user in ["postgres:correct%20horse", "md5_user:five", "clear_user:clear"] {
        for tls in ["disable", "require"] {
            let url = server.tcp_url(user, "127.0.0.1", &format!("sslmode={tls}"));
            let mut connection = connect(&url).await;
            assert_eq!(connection.is_encrypted(), tls == "require");
            let name = user.split(':').next().unwrap();
            assert_eq!(query(&mut connection, "SELECT current_user").await, name);
        }
    }
    let wrong = config(&server.tcp_url("postgres:wrong", "127.0.0.1", ""));
    let refused = Connection::connect(&wrong).await.unwrap_err();
    assert!(matches!(&refused, WireError::Authentication(error) if error.code == "28P01"));
    let none = config(&server.tcp_url("postgres", "127.0.0.1", ""));
    let refused = Connection::connect(&none).await.unwrap_err();
    assert_eq!(refused.to_string(), "the server asks for a password, and none is given");
    let missing = server.tcp_url("postgres:correct%20horse", "127.0.0.1", "dbname=nothing");
    assert_eq!(code(Connection::connect(&config(&missing)).await.unwrap_err()).0, "3D000");
}

#[tokio::test]
async fn scram_is_bound_to_the_certificate() {
    let Some(server) = wire_server::shared() else { return };
    let user = "postgres:correct%20horse";
    let options = "channel_binding=require&sslmode=require";
    connect(&server.tcp_url(user, "127.0.0.1", options)).await;
    let plain = server.tcp_url(user, "127.0.0.1", "channel_binding=require&sslmode=disable");
    let refused = Connection::connect(&config(&plain)).await.unwrap_err();
    assert!(matches!(refused, WireError::Configuration(_)));
}

#[tokio::test]
async fn tls_is_used_and_verified_as_the_mode_says() {
    let Some(server) = wire_server::shared() else { return };
    let check = async |user: &str, host: &str, mode: &str, root: &str| {
        let root = match root {
            "" => String::new(),
            name => format!("&sslrootcert={}/{name}.crt", server.folder.to_str().unwrap()),
        };
        let url = server.tcp_url(user, host, &format!("sslmode={mode}{root}"));
        match Connection::connect(&config(&url)).await {
            Ok(mut connection) => {
                let question = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
                let encrypted = query(&mut connection, question).await == "t";
                assert_eq!(encrypted, connection.is_encrypted());
                if encrypted { "encrypted" } else { "plain" }
            }
            Err(WireError::Tls(_)) => "TLS error",
            Err(WireError::Authentication(_)) => "refused",
            Err(other) => panic!("{other:?}"),
        }
    };
    let postgres = "postgres:correct%20horse";
    let mut found = Vec::new();
    for (user, host, mode, root, expected) in [
        (postgres, "localhost", "disable", "", "plain"),
        (postgres, "localhost", "allow", "", "plain"),
        (postgres, "localhost", "prefer", "", "encrypted"),
        (postgres, "localhost", "require", "", "encrypted"),
        ("tls_user", "127.0.0.1", "disable", "", "refused"),
        ("tls_user", "127.0.0.1", "allow", "", "encrypted"),
        ("plain_user", "127.0.0.1", "prefer", "", "plain"),
        ("plain_user", "127.0.0.1", "require", "", "refused"),
        (postgres, "127.0.0.1", "require", "other", "TLS error"),
        (postgres, "127.0.0.1", "require", "server", "encrypted"),
        (postgres, "127.0.0.1", "verify-ca", "server", "encrypted"),
        (postgres, "127.0.0.1", "verify-full", "server", "TLS error"),
        (postgres, "localhost", "verify-full", "server", "encrypted"),
        (postgres, "localhost", "verify-full", "other", "TLS error"),
        (postgres, "localhost", "verify-ca", "other", "TLS error"),
    ] {
        let is = check(user, host, mode, root).await;
        if is != expected {
            found.push(format!("{user} {host} {mode} {root}: {is} and not {expected}"));
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

#[tokio::test]
async fn the_second_host_is_tried_when_the_first_one_fails() {
    let Some(server) = wire_server::shared() else { return };
    let hosts = format!("/nowhere,{}", server.folder.to_str().unwrap());
    let port = server.port;
    connect(&format!("host={hosts} port={port} user=postgres")).await;
    let standby = format!("host={hosts} port={port} user=postgres target_session_attrs=read-only");
    let refused = Connection::connect(&config(&standby)).await.unwrap_err();
    assert!(matches!(refused, WireError::Configuration(_)));
}

#[tokio::test]
async fn a_simple_client_connects_in_the_same_way() {
    let Some(server) = wire_server::shared() else { return };
    let tls = "channel_binding=require&sslmode=require";
    for url in [server.socket_url(), server.tcp_url("postgres:correct%20horse", "localhost", tls)] {
        let client = connect_simple(&config(&url)).await.unwrap();
        let row = client.query_one("SELECT current_user::text", &[]).await.unwrap();
        assert_eq!(row.get::<_, String>(0), "postgres");
    }
    let wrong = config(&server.tcp_url("postgres:wrong", "localhost", tls));
    let refused = connect_simple(&wrong).await.unwrap_err();
    assert!(matches!(&refused, WireError::Authentication(error) if error.code == "28P01"));
}

#[tokio::test]
async fn statements_of_one_pipeline_see_one_snapshot() {
    let Some(server) = wire_server::shared() else { return };
    let mut connection = connect(&server.socket_url()).await;
    let mut other = connect(&server.socket_url()).await;
    run(&mut other, &["CREATE TABLE snapshot (id int)", "INSERT INTO snapshot VALUES (1)"])
        .await
        .unwrap();
    let count = statement("SELECT count(*) FROM snapshot");
    let (mut first, mut second) = (Vec::new(), Vec::new());
    let mut pipeline = connection.pipeline();
    pipeline.begin(Transaction::Snapshot).unwrap();
    pipeline.execute(&count, []).unwrap();
    pipeline.flush_and_read(&mut first).await.unwrap();
    assert_eq!(query(&mut other, "INSERT INTO snapshot VALUES (2) RETURNING id").await, "2");
    pipeline.execute(&count, []).unwrap();
    let parameters = [text("7"), Parameter::Null];
    let echo = statement("SELECT $1::int, $2::text, '', generate_series(1, 2)");
    pipeline.execute(&echo, parameters).unwrap();
    pipeline.commit().unwrap();
    pipeline.sync_and_read(&mut second).await.unwrap();
    assert_eq!(first.iter().map(print).collect::<Vec<_>>(), ["1"]);
    assert_eq!(second.iter().map(print).collect::<Vec<_>>(), ["1", "7|-||1 7|-||2"]);
    assert_eq!(query(&mut connection, "SELECT count(*) FROM snapshot").await, "2");
    // The transaction is read-only.
    let mut pipeline = connection.pipeline();
    pipeline.begin(Transaction::Snapshot).unwrap();
    pipeline.execute(&statement("DELETE FROM snapshot"), []).unwrap();
    pipeline.commit().unwrap();
    let refused = pipeline.sync_and_read(&mut first).await.unwrap_err();
    assert_eq!(code(refused), ("25006".to_owned(), Some(0)));
    let mut pipeline = connection.pipeline();
    pipeline.begin(Transaction::WritableSnapshot).unwrap();
    pipeline.execute(&statement("DELETE FROM snapshot"), []).unwrap();
    pipeline.commit().unwrap();
    pipeline.sync_and_read(&mut first).await.unwrap();
    assert_eq!(first[0].affected(), 2);
    run(&mut other, &["DROP TABLE snapshot"]).await.unwrap();
}

#[tokio::test]
async fn after_an_error_the_connection_works_again() {
    let Some(server) = wire_server::shared() else { return };
    let mut connection = connect(&server.socket_url()).await;
    let texts = ["SELECT 1", "SELECT 1/0", "SELECT 3"];
    let failed = run(&mut connection, &texts).await.unwrap_err();
    assert_eq!(code(failed), ("22012".to_owned(), Some(1)));
    assert!(connection.is_clean());
    assert_eq!(query(&mut connection, "SELECT 3").await, "3");

    // In a transaction, while preparing, and with the position.
    let mut results = Vec::new();
    let mut pipeline = connection.pipeline();
    pipeline.begin(Transaction::ReadCommitted).unwrap();
    pipeline.execute(&statement("SELECT 1"), []).unwrap();
    pipeline.execute(&statement("SELECT nothing"), []).unwrap();
    pipeline.commit().unwrap();
    let failed = pipeline.sync_and_read(&mut results).await.unwrap_err();
    let WireError::Database { error, execution } = failed else { panic!("{failed:?}") };
    assert_eq!(
        (error.code.as_str(), error.position, execution, error.severity.as_str()),
        ("42703", Some(8), Some(1), "ERROR")
    );
    assert!(connection.is_clean());
    assert_eq!(query(&mut connection, "SELECT 4").await, "4");

    // In a round that ended with a flush.
    let mut pipeline = connection.pipeline();
    pipeline.begin(Transaction::Snapshot).unwrap();
    pipeline.execute(&statement("SELECT 1/0"), []).unwrap();
    assert_eq!(code(pipeline.flush_and_read(&mut results).await.unwrap_err()).1, Some(0));
    assert!(pipeline.execute(&statement("SELECT 1"), []).is_err());
    drop(pipeline);
    assert!(connection.is_clean());
    assert_eq!(query(&mut connection, "SELECT 5").await, "5");

    // A transaction that nobody ends is rolled back.
    let mut pipeline = connection.pipeline();
    pipeline.begin(Transaction::ReadCommitted).unwrap();
    pipeline.execute(&statement("CREATE TABLE left_open ()"), []).unwrap();
    assert!(pipeline.sync_and_read(&mut results).await.is_err());
    assert_eq!(query(&mut connection, "SELECT to_regclass('left_open')").await, "-");
}

#[tokio::test]
async fn an_error_at_the_commit_belongs_to_no_execution() {
    let Some(server) = wire_server::shared() else { return };
    let mut connection = connect(&server.socket_url()).await;
    let table = "CREATE TABLE deferred (id int PRIMARY KEY, \
                 other int CONSTRAINT chain REFERENCES deferred DEFERRABLE INITIALLY DEFERRED)";
    run(&mut connection, &[table]).await.unwrap();
    let insert = statement("INSERT INTO deferred VALUES (1, 2)");
    for is_explicit in [false, true] {
        let mut pipeline = connection.pipeline();
        if is_explicit {
            pipeline.begin(Transaction::ReadCommitted).unwrap();
        }
        pipeline.execute(&insert, []).unwrap();
        if is_explicit {
            pipeline.commit().unwrap();
        }
        let failed = pipeline.sync_and_read(&mut Vec::new()).await.unwrap_err();
        let WireError::Database { error, execution } = failed else { panic!("{failed:?}") };
        assert_eq!(
            (error.table.as_deref(), error.constraint.as_deref(), execution),
            (Some("deferred"), Some("chain"), None)
        );
    }
    run(&mut connection, &["DROP TABLE deferred"]).await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_sent_leaves_the_connection_clean() {
    let Some(server) = wire_server::shared() else { return };
    let mut connection = connect(&server.socket_url()).await;
    let mut pipeline = connection.pipeline();
    pipeline.execute(&statement("SELECT 1"), []).unwrap();
    assert!(pipeline.execute(&statement("SELECT '\0'"), []).is_err());
    let mut results = Vec::new();
    pipeline.sync_and_read(&mut results).await.unwrap();
    assert_eq!(results.iter().map(print).collect::<Vec<_>>(), ["1"]);
    // A pipeline that is never sent.
    connection.pipeline().execute(&statement("SELECT 2"), []).unwrap();
    assert!(connection.is_clean());
    assert_eq!(query(&mut connection, "SELECT 2").await, "2");
}

#[tokio::test]
async fn large_answers_and_large_parameters_pass() {
    let Some(server) = wire_server::shared() else { return };
    let tls = server.tcp_url("postgres:correct%20horse", "localhost", "sslmode=require");
    for url in [server.socket_url(), tls] {
        let mut connection = connect(&url).await;
        let series = statement("SELECT i, repeat('x', 100) FROM generate_series(1, 20000) i");
        let mut results = Vec::new();
        // The server answers megabytes to the first statement before it has read the second one.
        let parameter = "y".repeat(8 << 20);
        let length = statement("SELECT length($1::text)");
        for _ in 0..2 {
            let mut pipeline = connection.pipeline();
            pipeline.execute(&series, []).unwrap();
            pipeline.execute(&length, [text(&parameter)]).unwrap();
            pipeline.sync_and_read(&mut results).await.unwrap();
            assert_eq!((results[0].len(), results[0].affected()), (20_000, 20_000));
            assert_eq!(results[0].value(19_999, 0), Some(&b"20000"[..]));
            assert_eq!(results[0].row(19_999).value(1).map(<[u8]>::len), Some(100));
            assert_eq!(print(&results[1]), "8388608");
        }
    }
    let limited = config(&server.socket_url()).with_answer_limit(100_000);
    let mut connection = Connection::connect(&limited).await.unwrap();
    let series = "SELECT repeat('x', 100) FROM generate_series(1, 20000)";
    let failed = run(&mut connection, &[series]).await.unwrap_err();
    assert!(matches!(failed, WireError::TooLarge { limit: 100_000 }));
    assert!(!connection.is_clean());
}

#[tokio::test]
async fn a_row_limit_stops_an_execution() {
    let Some(server) = wire_server::shared() else { return };
    let mut connection = connect(&server.socket_url()).await;
    let series = statement("SELECT generate_series(1, 3)");
    let mut results = Vec::new();
    let mut pipeline = connection.pipeline();
    pipeline.execute_at_most(&series, [], 2).unwrap();
    pipeline.execute_at_most(&series, [], 4).unwrap();
    pipeline.sync_and_read(&mut results).await.unwrap();
    let found: Vec<_> = results.iter().map(|rows| (print(rows), rows.has_more())).collect();
    assert_eq!(found, [("1 2".to_owned(), true), ("1 2 3".to_owned(), false)]);
}

#[tokio::test]
async fn the_statements_used_last_stay_prepared() {
    let Some(server) = wire_server::shared() else { return };
    let mut connection = connect(&server.socket_url()).await;
    let count = statement("SELECT count(*) FROM pg_prepared_statements");
    let mut results = Vec::new();
    for round in 0..4 {
        let mut pipeline = connection.pipeline();
        for number in 0..100 {
            let text = format!("SELECT {}", round * 100 + number);
            pipeline.execute(&statement(&text), []).unwrap();
        }
        pipeline.execute(&count, []).unwrap();
        pipeline.sync_and_read(&mut results).await.unwrap();
    }
    assert_eq!(print(&results[100]), "256");
    assert_eq!(connection.prepared_statements(), 256);
    let is_prepared = "SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT 399'";
    assert_eq!(query(&mut connection, is_prepared).await, "1");
}

#[tokio::test]
async fn without_prepared_statements_none_is_kept() {
    let Some(server) = wire_server::shared() else { return };
    let config = config(&server.socket_url()).with_prepared(false);
    let mut connection = Connection::connect(&config).await.unwrap();
    let mut results = Vec::new();
    let mut pipeline = connection.pipeline();
    pipeline.begin(Transaction::Snapshot).unwrap();
    for number in ["1", "2"] {
        pipeline.execute(&statement("SELECT $1::int"), [text(number)]).unwrap();
    }
    pipeline.flush_and_read(&mut results).await.unwrap();
    assert_eq!(results.iter().map(print).collect::<Vec<_>>(), ["1", "2"]);
    let count = "SELECT count(*) FROM pg_prepared_statements WHERE name <> ''";
    pipeline.execute(&statement(count), []).unwrap();
    pipeline.commit().unwrap();
    pipeline.sync_and_read(&mut results).await.unwrap();
    assert_eq!(results.iter().map(print).collect::<Vec<_>>(), ["0"]);
}

#[tokio::test]
async fn a_stale_plan_is_reported_and_made_again() {
    let Some(server) = wire_server::shared() else { return };
    let mut connection = connect(&server.socket_url()).await;
    let mut other = connect(&server.socket_url()).await;
    run(&mut other, &["CREATE TABLE stale (id int)", "INSERT INTO stale VALUES (1)"])
        .await
        .unwrap();
    let all = "SELECT * FROM stale";
    assert_eq!(query(&mut connection, all).await, "1");
    run(&mut other, &["ALTER TABLE stale ADD name text DEFAULT 'a'"]).await.unwrap();
    let mut pipeline = connection.pipeline();
    pipeline.begin(Transaction::Snapshot).unwrap();
    pipeline.execute(&statement(all), []).unwrap();
    pipeline.commit().unwrap();
    let stale = pipeline.sync_and_read(&mut Vec::new()).await.unwrap_err();
    assert!(matches!(&stale, WireError::StalePlan(error) if error.code == "0A000"), "{stale:?}");
    assert!(connection.is_clean());
    assert_eq!(query(&mut connection, all).await, "1|a");

    run(&mut connection, &["DEALLOCATE ALL"]).await.unwrap();
    let stale = run(&mut connection, &[all]).await.unwrap_err();
    assert!(matches!(&stale, WireError::StalePlan(error) if error.code == "26000"), "{stale:?}");
    assert_eq!(query(&mut connection, all).await, "1|a");
    run(&mut other, &["DROP TABLE stale"]).await.unwrap();
}

#[tokio::test]
async fn a_running_statement_can_be_cancelled() {
    let Some(server) = wire_server::shared() else { return };
    let tls = server.tcp_url("postgres:correct%20horse", "localhost", "sslmode=require");
    for url in [server.socket_url(), tls] {
        let mut connection = connect(&url).await;
        let token = connection.cancel_token();
        let begin = Instant::now();
        let sleep = run(&mut connection, &["SELECT 1", "SELECT pg_sleep(30)"]);
        let cancel = async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            token.cancel().await.unwrap();
        };
        let (cancelled, ()) = tokio::join!(sleep, cancel);
        assert_eq!(code(cancelled.unwrap_err()), ("57014".to_owned(), Some(1)));
        assert!(begin.elapsed() < Duration::from_secs(10));
        assert_eq!(query(&mut connection, "SELECT 1").await, "1");
    }
}

#[tokio::test]
async fn a_dropped_future_leaves_the_connection_unclean() {
    let Some(server) = wire_server::shared() else { return };
    let mut connection = connect(&server.socket_url()).await;
    let short = Duration::from_millis(100);
    let sleep = run(&mut connection, &["SELECT pg_sleep(1)"]);
    assert!(tokio::time::timeout(short, sleep).await.is_err());
    assert!(!connection.is_clean());
    assert!(run(&mut connection, &["SELECT 1"]).await.is_err());

    // The same for a transaction that waits for its next round.
    let mut connection = connect(&server.socket_url()).await;
    let mut pipeline = connection.pipeline();
    pipeline.begin(Transaction::Snapshot).unwrap();
    pipeline.flush_and_read(&mut Vec::new()).await.unwrap();
    drop(pipeline);
    assert!(!connection.is_clean());
}

#[tokio::test]
async fn a_server_that_goes_away_closes_the_connection() {
    let Some(mut server) = wire_server::Server::start() else { return };
    let mut ended = connect(&server.socket_url()).await;
    let mut connection = connect(&server.socket_url()).await;
    let end = format!("SELECT pg_terminate_backend({})", ended.process_id());
    query(&mut connection, &end).await;
    let closed = run(&mut ended, &["SELECT 1"]).await.unwrap_err();
    let WireError::Closed { reason: Some(reason) } = closed else { panic!("{closed:?}") };
    assert_eq!(reason.code, "57P01");
    assert!(!ended.is_clean() && !ended.is_open());
    assert!(connection.is_open());

    server.stop();
    let closed = run(&mut connection, &["SELECT 1"]).await.unwrap_err();
    assert!(matches!(closed, WireError::Closed { .. }), "{closed:?}");
}

#[tokio::test]
async fn the_memory_of_messages_is_reserved_until_they_are_sent() {
    let Some(server) = wire_server::shared() else { return };
    let memory = MemoryBudget::new(u64::MAX);
    let config = config(&server.socket_url()).with_memory(&memory);
    let mut connection = Connection::connect(&config).await.unwrap();
    let keys = "7".repeat(8 << 20);
    let length = statement("SELECT length($1)");
    let mut results = Vec::new();
    let before = memory.held();
    let mut pipeline = connection.pipeline();
    for sent in 1..=2_u64 {
        pipeline.execute(&length, [text(&keys)]).unwrap();
        assert!(memory.held() - before >= sent * (8 << 20));
    }
    // The old and the new buffer, while it grew.
    assert!(memory.most_held() - before >= 24 << 20);
    pipeline.sync_and_read(&mut results).await.unwrap();
    assert_eq!(memory.held(), before);
    // Without room nothing is sent, and the connection serves others.
    memory.set_most(before + (10 << 20));
    let mut pipeline = connection.pipeline();
    pipeline.execute(&length, [text(&keys)]).unwrap();
    let refused = pipeline.execute(&length, [text(&keys)]).unwrap_err();
    assert!(matches!(refused, WireError::BudgetExceeded(_)), "{refused}");
    pipeline.sync_and_read(&mut results).await.unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(query(&mut connection, "SELECT 5").await, "5");
    assert!(memory.held() <= before);
}
