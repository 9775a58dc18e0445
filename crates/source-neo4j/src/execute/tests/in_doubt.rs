//! A server that fails at the end of a transaction: as one that is stopped, which has written a
//! transaction that it then does not acknowledge.

use super::*;

/// Checks the result of a change whose COMMIT fails with a code, and whether it is repeated.
async fn check(code: &str, expected: (Vec<(u32, SourceErrorKind)>, bool), is_again: bool) {
    let port = Port::open().await;
    let pool = pool(&port, 1);
    let program = program(&[(WRITE, &[0])]);
    let sent = ["BEGIN({})", r#"RUN("S0", {}, {})"#, "PULL({n: -1})", "COMMIT()"];
    let done = ["SUCCESS({})", "SUCCESS({fields: []})", "SUCCESS({stats: {nodes-created: 1}})"];
    let serve = async {
        let mut peer = port.serve().await;
        peer.expect(&sent).await;
        peer.send(&done).await;
        peer.send(&[&failure(code)]).await;
        peer.expect(&["RESET()"]).await;
        peer.send(&["SUCCESS({})"]).await;
        if is_again {
            peer.expect(&sent).await;
            peer.send(&done).await;
            peer.send(&[r#"SUCCESS({bookmark: "B"})"#]).await;
        }
        peer
    };
    let (ran, _peer) = tokio::join!(run(&pool, &program), serve);
    assert_eq!(ran, Ok((vec![0], expected.0, expected.1)), "{code}");
    // The doubt does not affect the next change.
    assert_eq!(pool.idle_connections(), 1);
}

#[tokio::test]
async fn a_change_that_may_be_committed_is_not_made_again() {
    let unknown = || (vec![(0, SourceErrorKind::OutcomeUnknown)], true);
    check("TransientError.General.DatabaseUnavailable", unknown(), false).await;
    check("DatabaseError.Transaction.TransactionCommitFailed", unknown(), false).await;
}

#[tokio::test]
async fn a_change_that_is_taken_back_at_its_end_is_made_again_or_fails() {
    check("TransientError.Transaction.DeadlockDetected", (vec![], true), true).await;
    let failed = (vec![(0, SourceErrorKind::CheckViolation)], false);
    check("ClientError.Schema.ConstraintValidationFailed", failed, false).await;
}
