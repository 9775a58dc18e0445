//! Tests of failures, interruptions, and servers that violate the protocol.

use super::super::script::written;
use super::*;

const DEADLOCK: &str =
    r#"FAILURE({code: "Neo.TransientError.Transaction.DeadlockDetected", message: "m"})"#;

#[tokio::test]
async fn after_a_failure_the_rest_is_ignored_and_the_connection_is_good() {
    let port = Port::open().await;
    let (mut connection, mut peer) = port.connect().await;
    let (seen, mut results) = (none(), Vec::new());
    let serve = async {
        for _ in 0..6 {
            peer.receive().await;
        }
        peer.send(&[
            "SUCCESS({})",
            "SUCCESS({fields: []})",
            "RECORD([1])",
            "SUCCESS({})",
            DEADLOCK,
            "IGNORED()",
            "IGNORED()",
        ])
        .await;
        peer.expect(&["RESET()"]).await;
        peer.send(&["SUCCESS({})"]).await;
        answer_one(&mut peer).await;
    };
    let ask = async {
        let mut batch = connection.batch();
        batch.begin(&Transaction::new(Access::Write, &seen)).unwrap();
        run(&mut batch, Scope::InTransaction, "a");
        run(&mut batch, Scope::InTransaction, "b");
        batch.commit().unwrap();
        let error = batch.exchange(&mut results).await.unwrap_err();
        assert_eq!(code(&error), ("DeadlockDetected", Some(1)));
        assert!(error.is_transient());
        assert!(results.iter().all(Records::is_empty));
        assert!(connection.is_clean() && !connection.outcome_is_unknown());
        assert_eq!(read_one(&mut connection, &mut results).await, b"\x91\x01");
    };
    tokio::join!(ask, serve);
}

#[tokio::test]
async fn a_session_whose_rights_have_expired_is_given_up() {
    let port = Port::open().await;
    let (mut connection, mut peer) = port.connect().await;
    let (seen, mut results) = (none(), Vec::new());
    let mut batch = connection.batch();
    run(&mut batch, Scope::Alone(&Transaction::new(Access::Read, &seen)), "x");
    let serve = async {
        let expired = r#"FAILURE({code: "Neo.ClientError.Security.AuthorizationExpired"})"#;
        peer.send(&[expired, "IGNORED()"]).await;
        peer.expect(&[r#"RUN("x", {}, {mode: "r"})"#, "PULL({n: -1})", "RESET()"]).await;
        peer.send(&["SUCCESS({})"]).await;
    };
    let (exchanged, ()) = tokio::join!(batch.exchange(&mut results), serve);
    let error = exchanged.unwrap_err();
    assert_eq!(code(&error), ("AuthorizationExpired", Some(0)));
    assert!(error.is_transient() && !connection.is_clean());
}

#[tokio::test]
async fn a_failed_commit_is_of_no_result() {
    let port = Port::open().await;
    let (mut connection, mut peer) = port.connect().await;
    let (seen, mut results) = (none(), Vec::new());
    let mut batch = connection.batch();
    batch.begin(&Transaction::new(Access::Write, &seen)).unwrap();
    batch.commit().unwrap();
    let serve = async {
        peer.expect(&["BEGIN({})", "COMMIT()"]).await;
        peer.send(&["SUCCESS({})", DEADLOCK]).await;
        peer.expect(&["RESET()"]).await;
        // It goes away instead.
        drop(peer);
    };
    let (exchanged, ()) = tokio::join!(batch.exchange(&mut results), serve);
    assert_eq!(code(&exchanged.unwrap_err()), ("DeadlockDetected", None));
    assert!(!connection.is_clean() && !connection.outcome_is_unknown());
}

#[tokio::test]
async fn a_commit_without_an_answer_may_have_been_one() {
    let port = Port::open().await;
    for (access, is_unknown) in [(Access::Write, true), (Access::Read, false)] {
        for alone in [false, true] {
            let (mut connection, mut peer) = port.connect().await;
            let (seen, mut results) = (none(), Vec::new());
            let transaction = Transaction::new(access, &seen);
            let mut batch = connection.batch();
            match alone {
                true => run(&mut batch, Scope::Alone(&transaction), "x"),
                false => {
                    batch.begin(&transaction).unwrap();
                    batch.commit().unwrap();
                }
            }
            let serve = async {
                peer.receive().await;
                peer.receive().await;
                peer.send(&["SUCCESS({})"]).await;
                drop(peer);
            };
            let (exchanged, ()) = tokio::join!(batch.exchange(&mut results), serve);
            assert!(matches!(exchanged, Err(WireError::Closed)), "{exchanged:?}");
            assert_eq!(connection.outcome_is_unknown(), is_unknown, "{access:?} {alone}");
        }
    }
}

#[tokio::test]
async fn what_was_interrupted_is_read_away_by_a_reset() {
    let port = Port::open().await;
    let (mut connection, mut peer) = port.connect().await;
    let (seen, mut results) = (none(), Vec::new());
    let mut batch = connection.batch();
    batch.begin(&Transaction::new(Access::Write, &seen)).unwrap();
    run(&mut batch, Scope::InTransaction, "x");
    batch.commit().unwrap();
    // The client drops the exchange.
    let exchange = batch.exchange(&mut results);
    assert!(tokio::time::timeout(Duration::from_millis(20), exchange).await.is_err());
    assert!(!connection.is_clean() && connection.outcome_is_unknown());
    let serve = async {
        peer.expect(&["BEGIN({})", r#"RUN("x", {}, {})"#, "PULL({n: -1})", "COMMIT()"]).await;
        peer.send(&["SUCCESS({})", "SUCCESS({fields: []})", "RECORD([1])"]).await;
        peer.expect(&["RESET()"]).await;
        let ended = r#"FAILURE({code: "Neo.ClientError.Transaction.Terminated"})"#;
        peer.send(&[ended, "IGNORED()", "SUCCESS({})"]).await;
        answer_one(&mut peer).await;
    };
    let ask = async {
        connection.reset().await.unwrap();
        assert!(connection.is_clean());
        assert_eq!(read_one(&mut connection, &mut results).await, b"\x91\x01");
    };
    tokio::join!(ask, serve);
}

#[tokio::test]
async fn what_cannot_be_written_leaves_the_rest_of_a_batch_as_it_is() {
    let port = Port::open().await;
    let (mut connection, mut peer) = port.connect().await;
    let (seen, mut results) = (none(), Vec::new());
    let transaction = Transaction::new(Access::Read, &seen);
    // A batch that is dropped is not sent.
    run(&mut connection.batch(), Scope::Alone(&transaction), "never");
    assert!(connection.is_clean());
    let mut batch = connection.batch();
    run(&mut batch, Scope::Alone(&transaction), "RETURN 1");
    let refused = batch.run(Scope::Alone(&transaction), "no", 1, |pack| {
        pack.text("p0");
        Err(WireError::Closed)
    });
    assert!(refused.is_err());
    let (exchanged, ()) = tokio::join!(batch.exchange(&mut results), answer_one(&mut peer));
    exchanged.unwrap();
    assert_eq!(results.len(), 1);
}

#[tokio::test]
async fn an_answer_beyond_the_limit_is_refused_and_can_be_read_away() {
    let port = Port::open().await;
    let (mut connection, mut peer) = port.connect().await;
    connection.allow(100_000);
    let (seen, mut results) = (none(), Vec::new());
    let record = ["RECORD([\"", &"x".repeat(40_000), "\"])"].concat();
    let serve = async {
        peer.expect(&[r#"RUN("x", {}, {mode: "r"})"#, "PULL({n: -1})"]).await;
        peer.send(&["SUCCESS({fields: []})", &record, &record, &record, &record]).await;
        peer.expect(&["RESET()"]).await;
        peer.send(&[&record, "IGNORED()", "SUCCESS({})"]).await;
        answer_one(&mut peer).await;
    };
    let ask = async {
        let mut batch = connection.batch();
        run(&mut batch, Scope::Alone(&Transaction::new(Access::Read, &seen)), "x");
        let error = batch.exchange(&mut results).await.unwrap_err();
        assert!(matches!(error, WireError::TooLarge { limit: 100_000 }), "{error:?}");
        assert!(!connection.is_clean());
        connection.reset().await.unwrap();
        assert_eq!(read_one(&mut connection, &mut results).await, b"\x91\x01");
    };
    tokio::join!(ask, serve);
}

#[tokio::test]
async fn what_became_of_a_change_is_read_behind_an_answer_beyond_the_limit() {
    let record = ["RECORD([\"", &"x".repeat(40_000), "\"])"].concat();
    let failure = r#"FAILURE({code: "Neo.TransientError.A.B", message: "m"})"#;
    for (commit, is_committed) in [(r#"SUCCESS({bookmark: "B"})"#, true), (failure, false)] {
        let port = Port::open().await;
        let (mut connection, mut peer) = port.connect().await;
        connection.allow(100_000);
        let (seen, mut results) = (none(), Vec::new());
        let serve = async {
            peer.expect(&["BEGIN({})", r#"RUN("x", {}, {})"#, "PULL({n: -1})", "COMMIT()"]).await;
            peer.send(&["SUCCESS({})", "SUCCESS({fields: []})"]).await;
            peer.send(&[&record, &record, &record, &record, "SUCCESS({})", commit]).await;
            if !is_committed {
                peer.expect(&["RESET()"]).await;
                peer.send(&["SUCCESS({})"]).await;
            }
            answer_one(&mut peer).await;
        };
        let ask = async {
            let mut batch = connection.batch();
            batch.begin(&Transaction::new(Access::Write, &seen)).unwrap();
            run(&mut batch, Scope::InTransaction, "x");
            batch.commit().unwrap();
            let error = batch.exchange(&mut results).await.unwrap_err();
            assert!(matches!(error, WireError::TooLarge { limit: 100_000 }), "{error:?}");
            assert!(connection.outcome_is_unknown());
            assert_eq!(connection.read_to_end().await.unwrap(), is_committed);
            assert!(connection.is_clean() && !connection.outcome_is_unknown());
            assert_eq!(read_one(&mut connection, &mut results).await, b"\x91\x01");
        };
        tokio::join!(ask, serve);
    }
}

#[tokio::test]
async fn large_messages_pass_each_other() {
    let port = Port::open().await;
    let (mut connection, mut peer) = port.connect().await;
    let (seen, mut results) = (none(), Vec::new());
    let transaction = Transaction::new(Access::Read, &seen);
    let text = "y".repeat(3 << 20);
    let mut batch = connection.batch();
    for _ in 0..3 {
        batch
            .run(Scope::Alone(&transaction), "x", 1, |pack| {
                pack.text("p0");
                pack.text(&text);
                Ok::<_, WireError>(())
            })
            .unwrap();
    }
    // The server answers the first before it reads the second, more than the streams can hold.
    let record = ["RECORD([\"", &"x".repeat(60_000), "\"])"].concat();
    let serve = async {
        for _ in 0..3 {
            peer.receive().await;
            peer.send(&["SUCCESS({fields: []})"]).await;
            for _ in 0..200 {
                peer.send(&[&record]).await;
            }
            peer.expect(&["PULL({n: -1})"]).await;
            peer.send(&["SUCCESS({})"]).await;
        }
    };
    let (exchanged, ()) = tokio::join!(batch.exchange(&mut results), serve);
    exchanged.unwrap();
    assert_eq!(results.iter().map(Records::len).collect::<Vec<_>>(), [200; 3]);
    assert!(results[2].record(199).ends_with(b"xx"));
}

#[tokio::test]
async fn what_the_protocol_does_not_allow_is_an_error() {
    let port = Port::open().await;
    let nonsense: [&[&str]; 7] = [
        &["RECORD([1])"],
        &["IGNORED()"],
        &["SUCCESS({})", "IGNORED()"],
        &["RUN()"],
        &["SUCCESS({})", "SUCCESS({has_more: 1})"],
        &["SUCCESS({})", "SUCCESS({bookmark: 1})"],
        &[DEADLOCK, "SUCCESS({})"],
    ];
    for said in nonsense {
        let (mut connection, mut peer) = port.connect().await;
        let (seen, mut results) = (none(), Vec::new());
        let mut batch = connection.batch();
        run(&mut batch, Scope::Alone(&Transaction::new(Access::Read, &seen)), "x");
        let serve = async {
            peer.receive().await;
            peer.send(said).await;
        };
        let (exchanged, ()) = tokio::join!(batch.exchange(&mut results), serve);
        match exchanged.unwrap_err() {
            WireError::Protocol(_) => {}
            error => assert_eq!(code(&error), ("DeadlockDetected", Some(0)), "{said:?}"),
        }
        assert!(!connection.is_clean(), "{said:?}");
    }
}

/// Any bytes of a server cause at most an error.
#[tokio::test]
async fn no_byte_is_trusted() {
    let answer = [
        r#"SUCCESS({fields: ["a"], t_first: 1})"#,
        r#"RECORD([1, "two", {three: [null]}])"#,
        r#"SUCCESS({bookmark: "FB:1", has_more: false, db: "neo4j", stats: {nodes-created: 1}})"#,
    ];
    let answer: Vec<u8> = answer.iter().flat_map(|message| written(message)).collect();
    let port = Port::open().await;
    for place in 0..answer.len() {
        for change in [0x01, 0x10, 0x80, 0xff] {
            let mut mangled = answer.clone();
            mangled[place] ^= change;
            let (mut connection, peer) = port.connect().await;
            let (seen, mut results) = (none(), Vec::new());
            let exchange = async {
                let mut batch = connection.batch();
                run(&mut batch, Scope::Alone(&Transaction::new(Access::Write, &seen)), "x");
                let exchanged = batch.exchange(&mut results).await;
                drop(connection);
                exchanged
            };
            let (exchanged, ()) = tokio::join!(exchange, peer.send_and_close(&mangled));
            if exchanged.is_ok() {
                let [records] = &results[..] else { panic!() };
                drop((records.fields(), records.summary(), records.metadata_of(b"plan")));
                for record in records.iter() {
                    let _ = response::packed::read(record);
                }
            }
        }
    }
}

#[tokio::test]
async fn half_a_message_is_waited_for_and_its_end_is_missed() {
    let port = Port::open().await;
    let (mut connection, mut peer) = port.connect().await;
    let (seen, mut results) = (none(), Vec::new());
    let mut batch = connection.batch();
    run(&mut batch, Scope::Alone(&Transaction::new(Access::Read, &seen)), "x");
    let serve = async {
        peer.receive().await;
        peer.send(&["SUCCESS({})"]).await;
        peer.send_bytes(b"\0\x09\xb1\x71\x91").await;
        tokio::time::sleep(Duration::from_millis(20)).await;
        drop(peer);
    };
    let (exchanged, ()) = tokio::join!(batch.exchange(&mut results), serve);
    assert!(matches!(exchanged, Err(WireError::Closed)), "{exchanged:?}");
}
