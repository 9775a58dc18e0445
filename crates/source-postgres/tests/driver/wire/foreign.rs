//! Answers that do not belong to what was sent. No PostgreSQL sends them, a pooler that mixes up its
//! clients does; so these come from a server that is made for the test.

use std::future::poll_fn;
use std::sync::Arc;

use source::SourceError;
use source::SourceErrorKind;
use source_postgres::wire::{Batches, Connection, Rows, Statement, Transaction, WireError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::wire_server::client::config;

const PROCESS: i32 = 77;

/// The type of the message that ends a batch.
const SYNC: u8 = b'S';

fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32 + 4).to_be_bytes();
    [&[tag][..], &length, body].concat()
}

fn row(values: &[&str]) -> Vec<u8> {
    let mut body = (values.len() as u16).to_be_bytes().to_vec();
    for value in values {
        body.extend((value.len() as u32).to_be_bytes());
        body.extend(value.as_bytes());
    }
    message(b'D', &body)
}

fn end(tag: &str) -> Vec<u8> {
    message(b'C', &[tag.as_bytes(), b"\0"].concat())
}

fn parsed() -> Vec<u8> {
    message(b'1', b"")
}

fn bound() -> Vec<u8> {
    message(b'2', b"")
}

fn ready() -> Vec<u8> {
    message(b'Z', b"I")
}

/// Reads up to the end of the next batch. False if the client has left.
async fn read_batch(client: &mut TcpStream) -> bool {
    loop {
        let mut header = [0; 5];
        if client.read_exact(&mut header).await.is_err() {
            return false;
        }
        let [tag, length @ ..] = header;
        let mut body = vec![0; u32::from_be_bytes(length) as usize - 4];
        client.read_exact(&mut body).await.unwrap();
        if tag == SYNC {
            return true;
        }
    }
}

/// Starts a session, and answers the batch after that with these messages.
async fn connect_to_one_that_answers(answer: Vec<Vec<u8>>) -> Connection {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut length = [0; 4];
        client.read_exact(&mut length).await.unwrap();
        let mut startup = vec![0; u32::from_be_bytes(length) as usize - 4];
        client.read_exact(&mut startup).await.unwrap();
        let key = [PROCESS.to_be_bytes(), [1; 4]].concat();
        let session = [message(b'R', &[0; 4]), message(b'K', &key), ready()].concat();
        client.write_all(&session).await.unwrap();
        assert!(read_batch(&mut client).await);
        let looked = row(&[&PROCESS.to_string(), "1", "hex", "postgres"]);
        let looked = [parsed(), bound(), looked, end("SELECT 1"), ready()].concat();
        client.write_all(&looked).await.unwrap();
        while read_batch(&mut client).await {
            client.write_all(&answer.concat()).await.unwrap();
        }
    });
    let url = format!("postgres://somebody@127.0.0.1:{port}/any?sslmode=disable");
    Connection::connect(&config(&url)).await.unwrap()
}

fn pair() -> Arc<Statement> {
    Arc::new(Statement::new("SELECT a, b FROM c", []).with_columns(2))
}

/// A statement alone, among those of others, and in a transaction.
async fn ask(answer: &[Vec<u8>], in_transaction: bool) -> [Result<Vec<Rows>, WireError>; 2] {
    let compose = |pipeline: &mut source_postgres::wire::Pipeline<'_>| {
        if in_transaction {
            pipeline.begin(Transaction::Snapshot)?;
        }
        pipeline.execute(&pair(), [])?;
        if in_transaction {
            pipeline.commit()?;
        }
        Ok(())
    };
    let mut connection = connect_to_one_that_answers(answer.to_vec()).await;
    let mut results = Vec::new();
    let mut pipeline = connection.pipeline();
    compose(&mut pipeline).unwrap();
    let alone = pipeline.sync_and_read(&mut results).await;
    assert_eq!(connection.is_clean(), alone.is_ok());
    if alone.is_err() {
        assert!(connection.has_outstanding() && results.iter().all(Rows::is_empty));
    }

    let mut shared = connect_to_one_that_answers(answer.to_vec()).await;
    let mut batches = Batches::begin(&mut shared);
    batches.push(&mut shared, (), compose).unwrap();
    let mut answered = Vec::new();
    let polled = poll_fn(|context| {
        let polled = batches.poll(&mut shared, context, &mut answered);
        match polled {
            std::task::Poll::Pending if !answered.is_empty() => std::task::Poll::Ready(None),
            polled => polled.map(Some),
        }
    });
    let among_others = match polled.await {
        Some(error) => Err(error),
        None => answered.remove(0).result,
    };
    [alone.map(|()| results), among_others]
}

fn transaction(begun: &str, rows: &[Vec<u8>], ended: &str) -> Vec<Vec<u8>> {
    let begin = [parsed(), bound(), end(begun), parsed(), bound()];
    let commit = [parsed(), bound(), end(ended), ready()];
    [&begin[..], rows, &commit].concat()
}

#[tokio::test]
async fn an_answer_to_another_statement_is_an_error_and_no_data() {
    let two = row(&["1", "2"]);
    let one = end("SELECT 1");
    let right = [parsed(), bound(), two.clone(), one.clone(), ready()];
    for result in ask(&right, false).await {
        assert_eq!(result.unwrap()[0].value(0, 1), Some(&b"2"[..]));
    }
    let rows = [two.clone(), one.clone()];
    for result in ask(&transaction("BEGIN", &rows, "COMMIT"), true).await {
        assert_eq!(result.unwrap()[0].value(0, 0), Some(&b"1"[..]));
    }

    let foreign = [
        ("fewer columns", vec![parsed(), bound(), row(&["1"]), one.clone(), ready()], false),
        ("more columns", vec![parsed(), bound(), row(&["1", "2", "3"]), one.clone()], false),
        ("no columns", vec![parsed(), bound(), row(&[]), one.clone(), ready()], false),
        ("fewer rows", vec![parsed(), bound(), one.clone(), ready()], false),
        ("more rows", vec![parsed(), bound(), two.clone(), two.clone(), one.clone()], false),
        ("a change", vec![parsed(), bound(), end("INSERT 0 1"), ready()], false),
        ("no command", vec![parsed(), bound(), message(b'I', b""), ready()], false),
        ("a portion", vec![parsed(), bound(), two.clone(), message(b's', b""), ready()], false),
        ("nothing parsed", vec![bound(), two.clone(), one.clone(), ready()], false),
        ("nothing bound", vec![parsed(), two.clone(), one.clone(), ready()], false),
        ("parsed twice", vec![parsed(), parsed(), bound(), two.clone(), one.clone()], false),
        ("bound twice", vec![parsed(), bound(), bound(), two.clone(), one.clone()], false),
        ("described", vec![parsed(), bound(), message(b'T', b"\0\0"), two.clone()], false),
        ("an early end", vec![parsed(), bound(), ready()], false),
        ("no BEGIN", transaction("COMMIT", &rows, "COMMIT"), true),
        ("no COMMIT", transaction("BEGIN", &rows, "BEGIN"), true),
        ("a change at the end", transaction("BEGIN", &rows, "DELETE 1"), true),
    ];
    for (case, answer, in_transaction) in foreign {
        for result in ask(&answer, in_transaction).await {
            let error = result.expect_err(case);
            assert!(matches!(error, WireError::OutOfSync(_)), "{case}: {error}");
            assert_eq!(SourceError::from(error).kind, SourceErrorKind::Unavailable, "{case}");
        }
    }
}
