//! Tests of execution with a scripted server.

use std::rc::Rc;
use std::time::Duration;

use source::Observed;
use source::operand::Variables;
use source::{SourceError, SourceErrorKind};
use tokio::time::sleep;

use super::super::bind::bind;
use super::super::pool::{Pool, PoolOptions};
use super::super::program::{Access, GraphProgram, GraphStatement, GraphTransaction};
use super::super::wire::script::{Peer, Port};
use super::super::wire::{Cluster, Records};
use super::Running;

/// A program of transactions with the root fields of their statements.
fn program(transactions: &[(Access, &[u32])]) -> GraphProgram {
    let transactions = transactions.iter().map(|(access, roots)| {
        let statements = roots.iter().map(|root| GraphStatement {
            root: *root,
            text: ["S", &root.to_string()].concat().into(),
            parameters: Vec::new(),
            touched: None,
        });
        GraphTransaction { access: *access, statements: statements.collect() }
    });
    GraphProgram { transactions: transactions.collect(), ..GraphProgram::default() }
}

fn pool(port: &Port, most: usize) -> Rc<Pool> {
    let config = port.config("bolt");
    let options = PoolOptions {
        max_connections: most,
        acquire_timeout: Duration::from_millis(50),
        ..PoolOptions::default()
    };
    Pool::new(Cluster::new(config.clone()), config, options)
}

/// The result of a run: the number of records of each statement, the failed root fields, and
/// whether something was changed.
type Ran = Result<(Vec<usize>, Vec<(u32, SourceErrorKind)>, bool), SourceErrorKind>;

async fn run(pool: &Rc<Pool>, program: &GraphProgram) -> Ran {
    run_within(pool, program, None).await
}

async fn run_within(pool: &Rc<Pool>, program: &GraphProgram, time_limit: Option<Duration>) -> Ran {
    let (bound, mut failures) = bind(program, Variables::of(&[]));
    let mut observed = Observed::default();
    let running = Running { pool, program, bound: &bound, time_limit, observed: &mut observed };
    let results = running.run(&mut failures).await.map_err(|error: SourceError| error.kind)?;
    let failures: Vec<_> = failures.into_iter().map(|(root, error)| (root, error.kind)).collect();
    let is_unknown = |(_, kind): &(u32, SourceErrorKind)| *kind == SourceErrorKind::OutcomeUnknown;
    if failures.iter().any(is_unknown) {
        assert!(observed.committed.is_incomplete, "events may be missing");
    }
    Ok((results.iter().map(Records::len).collect(), failures, observed.has_changed))
}

mod half_closed;
mod in_doubt;

const READ: Access = Access::Read;
const WRITE: Access = Access::Write;

/// The end of a statement with one record.
const ONE: [&str; 3] = ["SUCCESS({fields: []})", "RECORD([1])", "SUCCESS({})"];

fn failure(code: &str) -> String {
    [r#"FAILURE({code: "Neo."#, code, r#"", message: "m"})"#].concat()
}

async fn expect_read(peer: &mut Peer, text: &str) {
    peer.expect(&[&[r#"RUN("#, text, r#", {}, {mode: "r"})"#].concat(), "PULL({n: -1})"]).await;
}

#[tokio::test]
async fn a_single_statement_that_reads_has_no_transaction_of_its_own() {
    let port = Port::open().await;
    let pool = pool(&port, 1);
    let program = program(&[(READ, &[0])]);
    let serve = async {
        let mut peer = port.serve().await;
        for _ in 0..2 {
            expect_read(&mut peer, r#""S0""#).await;
            peer.send(&ONE).await;
        }
        peer
    };
    let (ran, _peer) =
        tokio::join!(async { (run(&pool, &program).await, run(&pool, &program).await) }, serve);
    let expect: Ran = Ok((vec![1], vec![], false));
    assert_eq!(ran, (expect.clone(), expect));
    assert_eq!(pool.idle_connections(), 1);
}

#[tokio::test]
async fn the_server_is_told_how_long_a_request_is_waited_for() {
    let port = Port::open().await;
    let pool = pool(&port, 1);
    let (reads, writes) = (program(&[(READ, &[0])]), program(&[(WRITE, &[0])]));
    let serve = async {
        let mut peer = port.serve().await;
        peer.expect(&[r#"RUN("S0", {}, {mode: "r", tx_timeout: 1500})"#, "PULL({n: -1})"]).await;
        peer.send(&ONE).await;
        peer.expect(&["BEGIN({tx_timeout: 1500})", r#"RUN("S0", {}, {})"#]).await;
        peer.expect(&["PULL({n: -1})", "COMMIT()"]).await;
        let failure = failure("ClientError.Transaction.TransactionTimedOutClientConfiguration");
        peer.send(&["SUCCESS({})", &failure, "IGNORED()", "IGNORED()"]).await;
        peer.expect(&["RESET()"]).await;
        peer.send(&["SUCCESS({})"]).await;
        // So long that the server could not count it.
        expect_read(&mut peer, r#""S0""#).await;
        peer.send(&ONE).await;
        peer
    };
    let runs = async {
        let limit = Some(Duration::from_millis(1_500));
        let read = run_within(&pool, &reads, limit).await;
        let changed = run_within(&pool, &writes, limit).await;
        (read, changed, run_within(&pool, &reads, Some(Duration::MAX)).await)
    };
    let (ran, _peer) = tokio::join!(runs, serve);
    let expect: Ran = Ok((vec![1], vec![], false));
    let timed_out = Ok((vec![0], vec![(0, SourceErrorKind::Timeout)], false));
    assert_eq!(ran, (expect.clone(), timed_out, expect));
}

#[tokio::test]
async fn what_only_reads_goes_on_without_the_root_field_that_failed() {
    let port = Port::open().await;
    let pool = pool(&port, 1);
    let program = program(&[(READ, &[0, 1, 2])]);
    let serve = async {
        let mut peer = port.serve().await;
        let pull = "PULL({n: -1})";
        peer.expect(&[
            r#"BEGIN({mode: "r"})"#,
            r#"RUN("S0", {}, {})"#,
            pull,
            r#"RUN("S1", {}, {})"#,
            pull,
            r#"RUN("S2", {}, {})"#,
            pull,
            "COMMIT()",
        ])
        .await;
        peer.send(&["SUCCESS({})"]).await;
        peer.send(&ONE).await;
        let failure = failure("ClientError.Statement.ArgumentError");
        let ignored = "IGNORED()";
        peer.send(&[&failure, ignored, ignored, ignored, ignored]).await;
        peer.expect(&["RESET()"]).await;
        peer.send(&["SUCCESS({})"]).await;
        peer.expect(&[
            r#"BEGIN({mode: "r"})"#,
            r#"RUN("S0", {}, {})"#,
            pull,
            r#"RUN("S2", {}, {})"#,
            pull,
            "COMMIT()",
        ])
        .await;
        peer.send(&["SUCCESS({})"]).await;
        peer.send(&ONE).await;
        peer.send(&ONE).await;
        peer.send(&["SUCCESS({})"]).await;
        peer
    };
    let (ran, _peer) = tokio::join!(run(&pool, &program), serve);
    assert_eq!(ran, Ok((vec![1, 0, 1], vec![(1, SourceErrorKind::Internal)], false)));
}

#[tokio::test]
async fn a_change_that_had_to_make_way_is_made_again() {
    let port = Port::open().await;
    let pool = pool(&port, 1);
    let program = program(&[(WRITE, &[0])]);
    let serve = async {
        let mut peer = port.serve().await;
        let sent = ["BEGIN({})", r#"RUN("S0", {}, {})"#, "PULL({n: -1})", "COMMIT()"];
        peer.expect(&sent).await;
        let failure = failure("TransientError.Transaction.DeadlockDetected");
        peer.send(&["SUCCESS({})", &failure, "IGNORED()", "IGNORED()"]).await;
        peer.expect(&["RESET()"]).await;
        peer.send(&["SUCCESS({})"]).await;
        peer.expect(&sent).await;
        peer.send(&[
            "SUCCESS({})",
            "SUCCESS({fields: []})",
            "SUCCESS({stats: {nodes-created: 1}})",
            r#"SUCCESS({bookmark: "B"})"#,
        ])
        .await;
        peer
    };
    let (ran, _peer) = tokio::join!(run(&pool, &program), serve);
    assert_eq!(ran, Ok((vec![0], vec![], true)));
}

#[tokio::test]
async fn a_change_that_fails_takes_back_those_of_its_transaction_and_no_other() {
    let port = Port::open().await;
    let pool = pool(&port, 1);
    let program = program(&[(WRITE, &[0, 1]), (WRITE, &[2])]);
    let serve = async {
        let mut peer = port.serve().await;
        peer.expect(&[
            "BEGIN({})",
            r#"RUN("S0", {}, {})"#,
            "PULL({n: -1})",
            r#"RUN("S1", {}, {})"#,
            "PULL({n: -1})",
            "COMMIT()",
        ])
        .await;
        peer.send(&["SUCCESS({})"]).await;
        peer.send(&ONE).await;
        let failure = failure("ClientError.Schema.ConstraintValidationFailed");
        peer.send(&[&failure, "IGNORED()", "IGNORED()"]).await;
        peer.expect(&["RESET()"]).await;
        peer.send(&["SUCCESS({})"]).await;
        peer.expect(&["BEGIN({})", r#"RUN("S2", {}, {})"#, "PULL({n: -1})", "COMMIT()"]).await;
        peer.send(&["SUCCESS({})"]).await;
        peer.send(&ONE).await;
        peer.send(&["SUCCESS({})"]).await;
        peer
    };
    let (ran, _peer) = tokio::join!(run(&pool, &program), serve);
    let failures = vec![(1, SourceErrorKind::CheckViolation), (0, SourceErrorKind::Aborted)];
    // Nothing was counted in the one that was made.
    assert_eq!(ran, Ok((vec![0, 0, 1], failures, false)));
}

#[tokio::test]
async fn a_change_that_cannot_be_computed_is_the_clients_fault() {
    let port = Port::open().await;
    let pool = pool(&port, 1);
    let program = program(&[(WRITE, &[0])]);
    let serve = async {
        let mut peer = port.serve().await;
        peer.expect(&["BEGIN({})", r#"RUN("S0", {}, {})"#, "PULL({n: -1})", "COMMIT()"]).await;
        let failure = failure("ClientError.Statement.ArithmeticError");
        peer.send(&["SUCCESS({})", &failure, "IGNORED()", "IGNORED()"]).await;
        peer.expect(&["RESET()"]).await;
        peer.send(&["SUCCESS({})"]).await;
        peer
    };
    let (ran, _peer) = tokio::join!(run(&pool, &program), serve);
    assert_eq!(ran, Ok((vec![0], vec![(0, SourceErrorKind::Input)], false)));
}

#[tokio::test]
async fn a_change_whose_answer_is_too_much_is_told_to_be_made() {
    let port = Port::open().await;
    let config = port.config("bolt").with_answer_limit(100_000);
    let pool = Pool::new(Cluster::new(config.clone()), config, PoolOptions::default());
    let program = program(&[(WRITE, &[0])]);
    let record = ["RECORD([\"", &"x".repeat(40_000), "\"])"].concat();
    let serve = async {
        let mut peer = port.serve().await;
        peer.expect(&["BEGIN({})", r#"RUN("S0", {}, {})"#, "PULL({n: -1})", "COMMIT()"]).await;
        peer.send(&["SUCCESS({})", "SUCCESS({fields: []})"]).await;
        peer.send(&[&record, &record, &record, &record, "SUCCESS({})", "SUCCESS({})"]).await;
        peer
    };
    let (ran, _peer) = tokio::join!(run(&pool, &program), serve);
    assert_eq!(ran, Ok((vec![0], vec![(0, SourceErrorKind::TooLarge)], true)));
    assert_eq!(pool.idle_connections(), 1);
}

#[tokio::test]
async fn a_change_whose_end_is_not_known_is_not_made_again() {
    let port = Port::open().await;
    let pool = pool(&port, 1);
    let program = program(&[(WRITE, &[0])]);
    let serve = async {
        let mut peer = port.serve().await;
        peer.expect(&["BEGIN({})", r#"RUN("S0", {}, {})"#, "PULL({n: -1})", "COMMIT()"]).await;
        peer.send(&["SUCCESS({})"]).await;
        drop(peer);
    };
    let (ran, ()) = tokio::join!(run(&pool, &program), serve);
    assert_eq!(ran, Ok((vec![0], vec![(0, SourceErrorKind::OutcomeUnknown)], true)));
}

#[tokio::test]
async fn a_connection_that_was_closed_meanwhile_is_replaced() {
    let port = Port::open().await;
    let pool = pool(&port, 1);
    let program = program(&[(READ, &[0])]);
    let serve = async {
        for _ in 0..2 {
            let mut peer = port.serve().await;
            expect_read(&mut peer, r#""S0""#).await;
            peer.send(&ONE).await;
        }
    };
    let runs = async {
        let first = run(&pool, &program).await;
        // The runtime has to see that it was closed.
        sleep(Duration::from_millis(20)).await;
        (first, run(&pool, &program).await)
    };
    let (ran, ()) = tokio::join!(runs, serve);
    let expect: Ran = Ok((vec![1], vec![], false));
    assert_eq!(ran, (expect.clone(), expect));
}

#[tokio::test]
async fn a_read_whose_server_goes_away_is_asked_again() {
    let port = Port::open().await;
    let pool = pool(&port, 1);
    let program = program(&[(READ, &[0])]);
    let serve = async {
        let mut peer = port.serve().await;
        expect_read(&mut peer, r#""S0""#).await;
        drop(peer);
        let mut peer = port.serve().await;
        expect_read(&mut peer, r#""S0""#).await;
        peer.send(&ONE).await;
        peer
    };
    let (ran, _peer) = tokio::join!(run(&pool, &program), serve);
    assert_eq!(ran, Ok((vec![1], vec![], false)));
}

#[tokio::test]
async fn what_nobody_waits_for_any_more_is_reset_and_used_again() {
    let port = Port::open().await;
    let pool = pool(&port, 1);
    let program = program(&[(READ, &[0])]);
    let serve = async {
        let mut peer = port.serve().await;
        expect_read(&mut peer, r#""S0""#).await;
        peer.expect(&["RESET()"]).await;
        peer.send(&["IGNORED()", "IGNORED()", "SUCCESS({})"]).await;
        expect_read(&mut peer, r#""S0""#).await;
        peer.send(&ONE).await;
        peer
    };
    let runs = async {
        let abandoned = tokio::time::timeout(Duration::from_millis(20), run(&pool, &program)).await;
        assert!(abandoned.is_err());
        assert_eq!(pool.idle_connections(), 0);
        run(&pool, &program).await
    };
    let (ran, _peer) = tokio::join!(runs, serve);
    assert_eq!(ran, Ok((vec![1], vec![], false)));
}

#[tokio::test]
async fn whoever_gets_no_connection_in_time_is_told_so() {
    let port = Port::open().await;
    let pool = pool(&port, 1);
    let serve = async { port.serve().await };
    let (held, _peer) = tokio::join!(pool.acquire(READ), serve);
    let program = program(&[(WRITE, &[0])]);
    assert_eq!(run(&pool, &program).await, Err(SourceErrorKind::Busy));
    drop(held);
    assert_eq!(pool.idle_connections(), 1);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable() {
    let port = Port::open().await;
    let pool = pool(&port, 1);
    drop(port);
    let program = program(&[(READ, &[0])]);
    assert_eq!(run(&pool, &program).await, Err(SourceErrorKind::Unavailable));
}
