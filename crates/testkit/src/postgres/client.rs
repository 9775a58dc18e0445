//! Statements sent to a private server, one connection a call.

use tokio::runtime;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// A statement could not be run.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The runtime of the call could not be made.
    #[error("no runtime: {0}")]
    Runtime(#[from] std::io::Error),
    /// The server refused the connection or the statement.
    #[error("{}", message(.0))]
    Postgres(#[from] tokio_postgres::Error),
}

/// Runs any number of statements.
pub(super) fn execute(url: &str, sql: &str) -> Result<(), ClientError> {
    with_client(url, async |client| client.batch_execute(sql).await)
}

/// Runs any number of statements on any server, over a connection of its own, and returns the rows
/// of all of them, values in their text form.
pub fn query(url: &str, sql: &str) -> Result<Vec<Vec<Option<String>>>, ClientError> {
    let messages = with_client(url, async |client| client.simple_query(sql).await)?;
    let mut rows = Vec::new();
    for message in messages {
        if let SimpleQueryMessage::Row(row) = message {
            rows.push((0..row.len()).map(|idx| row.get(idx).map(str::to_owned)).collect());
        }
    }
    Ok(rows)
}

/// A thread of its own, because a test that is itself asynchronous cannot start a second runtime
/// on its own thread.
fn with_client<T: Send>(
    url: &str,
    run: impl AsyncFnOnce(&Client) -> Result<T, tokio_postgres::Error> + Send,
) -> Result<T, ClientError> {
    let call = || {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
            let driver = tokio::spawn(connection);
            let answer = run(&client).await?;
            drop(client);
            // The session ends with its connection, not with the answer. Later errors of the driver
            // are ignored: the answer is complete.
            drop(driver.await);
            Ok(answer)
        })
    };
    std::thread::scope(|scope| match scope.spawn(call).join() {
        Ok(answer) => answer,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

/// The driver's own text for a refused statement is only "db error".
fn message(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(refusal) => format!("{}: {}", refusal.code().code(), refusal.message()),
        None => error.to_string(),
    }
}
