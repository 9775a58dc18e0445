//! Failures of statements, and statements that are ended.

use super::*;

/// Longer than any test waits.
const ENDLESS: &str = "UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS y \
                       WITH x WHERE x < 0 RETURN count(x)";

/// The code of a failure.
fn code(error: &WireError) -> &str {
    match error {
        WireError::Database { error, .. } => &error.code,
        other => panic!("{other:?}"),
    }
}

#[test]
fn after_a_failure_the_connection_is_good() {
    with_graph(|graph| async move {
        let mut connection = connect(&graph).await;
        let error = run(&mut connection, "RETURN").await.unwrap_err();
        assert_eq!(code(&error), "Neo.ClientError.Statement.SyntaxError");
        let WireError::Database { error, .. } = error else { panic!() };
        assert_eq!(error.gql_status.is_some(), connection.protocol() >= (5, 7), "{error:?}");
        assert!(connection.is_clean());
        assert_eq!(integer(&run(&mut connection, "RETURN 1").await.unwrap()), 1);

        let mut results = Vec::new();
        let mut batch = connection.batch();
        add(&mut batch, Access::Read, "RETURN 1");
        add(&mut batch, Access::Read, "CREATE ()");
        add(&mut batch, Access::Read, "RETURN 1");
        let error = batch.exchange(&mut results).await.unwrap_err();
        assert_eq!(code(&error), "Neo.ClientError.Statement.AccessMode");
        assert!(matches!(error, WireError::Database { result: Some(1), .. }), "{error:?}");
        assert!(connection.is_clean());
    });
}

#[test]
fn a_constraint_is_named_by_its_code() {
    with_graph(|graph| async move {
        let mut connection = connect(&graph).await;
        for text in ["CREATE CONSTRAINT FOR (a:A) REQUIRE a.x IS UNIQUE", "CREATE (:A {x: 1})"] {
            run(&mut connection, text).await.unwrap();
        }
        let error = run(&mut connection, "CREATE (:A {x: 1})").await.unwrap_err();
        assert_eq!(code(&error), "Neo.ClientError.Schema.ConstraintValidationFailed");
        assert!(!error.is_transient());
        // That a node still has relationships is found at the end of the transaction.
        run(&mut connection, "MATCH (a:A) CREATE (a)-[:R]->(a)").await.unwrap();
        let (none, mut results) = (Bookmarks::default(), Vec::new());
        let mut batch = connection.batch();
        batch.begin(&Transaction::new(Access::Write, &none)).unwrap();
        let text = "MATCH (a:A) DELETE a";
        batch.run(Scope::InTransaction, text, 0, |_| Ok::<_, WireError>(())).unwrap();
        batch.commit().unwrap();
        let error = batch.exchange(&mut results).await.unwrap_err();
        assert_eq!(code(&error), "Neo.ClientError.Schema.ConstraintValidationFailed");
        assert!(matches!(error, WireError::Database { result: None, .. }), "{error:?}");
        assert!(connection.is_clean() && !connection.outcome_is_unknown());
    });
}

#[test]
fn a_statement_ends_after_its_time() {
    with_graph(|graph| async move {
        let mut connection = connect(&graph).await;
        let (none, mut results) = (Bookmarks::default(), Vec::new());
        let transaction = Transaction {
            timeout: Some(Duration::from_millis(300)),
            ..Transaction::new(Access::Read, &none)
        };
        let mut batch = connection.batch();
        let nothing = |_: &mut Pack| Ok::<_, WireError>(());
        batch.run(Scope::Alone(&transaction), ENDLESS, 0, nothing).unwrap();
        let error = batch.exchange(&mut results).await.unwrap_err();
        assert!(code(&error).starts_with("Neo.ClientError.Transaction.TransactionTimedOut"));
        assert!(connection.is_clean());
    });
}

#[test]
fn what_nobody_waits_for_any_more_is_ended() {
    with_graph(|graph| async move {
        let mut connection = connect(&graph).await;
        let mut results = Vec::new();
        let mut batch = connection.batch();
        add(&mut batch, Access::Write, ENDLESS);
        let exchange = batch.exchange(&mut results);
        assert!(tokio::time::timeout(Duration::from_millis(300), exchange).await.is_err());
        assert!(!connection.is_clean());
        let started = Instant::now();
        connection.reset().await.unwrap();
        assert!(started.elapsed() < Duration::from_secs(5));
        let running = "SHOW TRANSACTIONS YIELD currentQuery AS text \
                       WHERE text CONTAINS '1000000' RETURN count(*)";
        assert_eq!(integer(&run(&mut connection, running).await.unwrap()), 1);
    });
}
