//! Connections on which the server sends nothing more, and still reads: during a shutdown of the
//! server or of its proxy. Each script ends only when the client has closed its end, too.

use super::*;
use crate::wire::script::written;

#[tokio::test]
async fn a_read_whose_answer_breaks_off_is_asked_again_elsewhere() {
    let port = Port::open().await;
    let pool = pool(&port, 1);
    let program = program(&[(READ, &[0])]);
    let answer: Vec<u8> = ONE.iter().flat_map(|message| written(message)).collect();
    let serve = async {
        // After each byte of the answer but the last.
        for length in 0..answer.len() {
            let mut peer = port.serve().await;
            expect_read(&mut peer, r#""S0""#).await;
            peer.send_and_close(&answer[..length]).await;
            let mut peer = port.serve().await;
            expect_read(&mut peer, r#""S0""#).await;
            peer.send(&ONE).await;
            // The next read finds a connection that is closed while it rests.
            peer.send_and_close(&[]).await;
        }
    };
    let runs = async {
        for length in 0..answer.len() {
            assert_eq!(run(&pool, &program).await, Ok((vec![1], vec![], false)), "{length}");
            // The runtime has to see that it was closed.
            sleep(Duration::from_millis(5)).await;
            pool.close_old();
        }
        // The last one rests here.
        drop(pool);
    };
    tokio::join!(runs, serve);
}

#[tokio::test]
async fn a_change_whose_answer_breaks_off_may_have_been_made_and_is_not_made_again() {
    let port = Port::open().await;
    let pool = pool(&port, 1);
    let program = program(&[(WRITE, &[0])]);
    let messages =
        ["SUCCESS({})", "SUCCESS({fields: []})", "SUCCESS({})", r#"SUCCESS({bookmark: "B"})"#];
    let answer: Vec<u8> = messages.iter().flat_map(|message| written(message)).collect();
    let serve = async {
        for length in 0..answer.len() {
            let mut peer = port.serve().await;
            peer.expect(&["BEGIN({})", r#"RUN("S0", {}, {})"#, "PULL({n: -1})", "COMMIT()"]).await;
            peer.send_and_close(&answer[..length]).await;
        }
    };
    let runs = async {
        for length in 0..answer.len() {
            let unknown = Ok((vec![0], vec![(0, SourceErrorKind::OutcomeUnknown)], true));
            assert_eq!(run(&pool, &program).await, unknown, "{length}");
            assert_eq!(pool.idle_connections(), 0);
        }
    };
    tokio::join!(runs, serve);
}

#[tokio::test]
async fn what_is_no_answer_is_told_and_the_next_request_is_answered() {
    let port = Port::open().await;
    let pool = pool(&port, 1);
    let (reads, writes) = (program(&[(READ, &[0])]), program(&[(WRITE, &[0])]));
    // A message of an unknown kind, one without an end, an answer without a request, a record where
    // none can be, and bytes that are no PackStream.
    let garbage: [&[u8]; 5] = [
        b"\x00\x03\xb1\x42\xa0\x00\x00",
        b"\x00\x02\xb1\x70\x00\x00",
        b"\x00\x02\xb0\x7e\x00\x00",
        b"\x00\x03\xb1\x71\x90\x00\x00",
        b"\x00\x06HTTP/1\x00\x00",
    ];
    let serve = async {
        for bytes in garbage {
            for is_read in [true, false] {
                let mut peer = port.serve().await;
                match is_read {
                    true => expect_read(&mut peer, r#""S0""#).await,
                    false => {
                        peer.expect(&["BEGIN({})", r#"RUN("S0", {}, {})"#]).await;
                        peer.expect(&["PULL({n: -1})", "COMMIT()"]).await;
                    }
                }
                peer.send_bytes(bytes).await;
                // It is not used again, not even for GOODBYE.
                assert_eq!(peer.receive().await, "");
            }
        }
        let mut peer = port.serve().await;
        expect_read(&mut peer, r#""S0""#).await;
        peer.send(&ONE).await;
    };
    let runs = async {
        for bytes in garbage {
            assert_eq!(run(&pool, &reads).await, Err(SourceErrorKind::Internal), "{bytes:x?}");
            let unknown = Ok((vec![0], vec![(0, SourceErrorKind::OutcomeUnknown)], true));
            assert_eq!(run(&pool, &writes).await, unknown, "{bytes:x?}");
        }
        assert_eq!(run(&pool, &reads).await, Ok((vec![1], vec![], false)));
    };
    tokio::join!(runs, serve);
}
