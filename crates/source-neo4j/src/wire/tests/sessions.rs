//! Tests of the beginning and the end of sessions.

use super::super::{ErrorClass, ServerVersion};
use super::*;

#[tokio::test]
async fn a_session_knows_its_server() {
    let port = Port::open().await;
    let (connection, mut peer) = port.connect().await;
    assert_eq!(connection.server_agent(), "Neo4j/5.26.1");
    assert_eq!(connection.server_version(), ServerVersion { major: 5, minor: 26, patch: 1 });
    assert_eq!((connection.protocol(), connection.id()), ((5, 8), "bolt-1"));
    assert_eq!(connection.endpoint(), &port.endpoint);
    assert!(!connection.is_encrypted());
    let (told, ()) = tokio::join!(peer.receive(), connection.close());
    assert_eq!(told, "GOODBYE()");
    assert_eq!(peer.receive().await, "");
}

#[tokio::test]
async fn a_server_without_a_known_version_is_named_by_what_it_says() {
    let port = Port::open().await;
    let error = port.refuse([0; 4], &[]).await;
    assert!(error.to_string().contains("no version of Bolt"), "{error}");
    let error = port.refuse(*b"HTTP", &[]).await;
    assert!(error.to_string().contains("HTTP"), "{error}");
}

#[tokio::test]
async fn a_wrong_password_is_told_from_a_server_that_is_not_ready() {
    let port = Port::open().await;
    let unauthorized =
        r#"FAILURE({code: "Neo.ClientError.Security.Unauthorized", message: "wrong"})"#;
    let error = port.refuse([0, 0, 8, 5], &[r#"SUCCESS({server: "x"})"#, unauthorized]).await;
    let WireError::Authentication(error) = error else { panic!("{error:?}") };
    assert_eq!((error.class(), error.message.as_str()), (ErrorClass::Client, "wrong"));
    let unready = r#"FAILURE({neo4j_code: "Neo.TransientError.General.DatabaseUnavailable"})"#;
    let error = port.refuse([0, 0, 0, 5], &[unready]).await;
    assert_eq!(code(&error), ("DatabaseUnavailable", None));
    assert!(error.is_transient());
    let error = port.refuse([0, 0, 0, 5], &["IGNORED()"]).await;
    assert!(matches!(error, WireError::Protocol(_)), "{error:?}");
    let error = port.refuse([0, 0, 4, 4], &[r#"SUCCESS({server: "Neo4j/4.4.0"})"#]).await;
    assert!(error.to_string().contains("too old"), "{error}");
}

#[tokio::test]
async fn a_server_that_closes_or_says_nothing_is_named() {
    let port = Port::open().await;
    let config = port.config("bolt").with_default_connect_timeout(Duration::from_millis(50));
    let closing = async { drop(port.accept([0, 0, 8, 5]).await) };
    let (error, ()) = tokio::join!(Connection::connect(&config, config.endpoint()), closing);
    let error = error.unwrap_err();
    assert!(error.to_string().starts_with(&port.endpoint.to_string()), "{error}");
    let (error, peer) =
        tokio::join!(Connection::connect(&config, config.endpoint()), port.accept([0, 0, 8, 5]));
    assert!(error.unwrap_err().to_string().contains("not made in time"));
    drop(peer);
}

#[tokio::test]
async fn a_connection_that_the_server_has_closed_is_not_open() {
    let port = Port::open().await;
    let (mut connection, mut peer) = port.connect().await;
    peer.send_bytes(&[0, 0]).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(connection.is_open());
    drop(peer);
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(!connection.is_open() && !connection.is_clean());
    assert!(matches!(connection.reset().await, Err(WireError::Closed)));
}

#[tokio::test]
async fn a_server_that_breaks_its_promise_to_say_something_is_given_up() {
    let port = Port::open().await;
    let config = port.config("bolt");
    let serve = async {
        let mut peer = port.accept([0, 0, 0, 5]).await;
        peer.receive().await;
        let hints = "SUCCESS({hints: {connection.recv_timeout_seconds: 1}})";
        peer.send(&[hints]).await;
        peer
    };
    let (connection, mut peer) =
        tokio::join!(Connection::connect(&config, config.endpoint()), serve);
    let mut connection = connection.unwrap();
    let mut results = Vec::new();
    let seen = none();
    let mut batch = connection.batch();
    run(&mut batch, Scope::Alone(&Transaction::new(Access::Read, &seen)), "RETURN 1");
    let serve = async {
        // A sign of life is enough.
        tokio::time::sleep(Duration::from_millis(700)).await;
        peer.send_bytes(&[0, 0]).await;
        tokio::time::sleep(Duration::from_millis(700)).await;
        peer.send(&["SUCCESS({fields: []})"]).await;
    };
    let (exchanged, ()) = tokio::join!(batch.exchange(&mut results), serve);
    assert!(matches!(exchanged, Err(WireError::Silent)), "{exchanged:?}");
    assert!(!connection.is_clean() && !connection.outcome_is_unknown());
}
