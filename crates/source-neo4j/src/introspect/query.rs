//! Statements that are sent together.

use std::time::Duration;

use crate::program::Access;
use crate::wire::{Bookmarks, Connection, Pack, Records, Scope, Transaction, WireError};

use super::IntrospectError;
use super::record::Unexpected;

/// Timeout of one statement.
const PATIENCE: Duration = Duration::from_secs(120);

/// A statement with its parameter, if it has one.
#[derive(Clone, Debug)]
pub(super) struct IntrospectionQuery<'a> {
    pub(super) text: String,
    pub(super) parameter: Option<Parameter<'a>>,
}

/// A value by the name that the statement has for it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Parameter<'a> {
    Names(&'a [&'a str]),
    Ids(&'a [i64]),
    /// The limit of records, `$p0` of a printed statement.
    Most(u32),
}

impl<'a> IntrospectionQuery<'a> {
    pub(super) fn plain(text: &str, connection: &Connection) -> Self {
        Self { text: versioned(text, connection), parameter: None }
    }

    pub(super) fn with(text: &str, parameter: Parameter<'a>, connection: &Connection) -> Self {
        Self { text: versioned(text, connection), parameter: Some(parameter) }
    }
}

impl Parameter<'_> {
    fn write(self, pack: &mut Pack) {
        match self {
            Self::Names(names) => {
                pack.text("names");
                pack.list(names.len());
                names.iter().for_each(|name| pack.text(name));
            }
            Self::Ids(ids) => {
                pack.text("ids");
                pack.list(ids.len());
                ids.iter().for_each(|id| pack.integer(*id));
            }
            Self::Most(most) => {
                pack.text("p0");
                pack.integer(i64::from(most));
            }
        }
    }
}

/// Servers since 5.26 support two versions of the language, and may be configured with the newer
/// one as the default.
fn versioned(text: &str, connection: &Connection) -> String {
    let version = connection.server_version();
    match (version.major, version.minor) >= (5, 26) {
        true => [include_str!("language.cypher"), text].concat(),
        false => text.to_owned(),
    }
}

/// Sends statements together, each a transaction of its own, and reads the records of each of them,
/// in their order.
pub(super) async fn send(
    connection: &mut Connection,
    statements: &[IntrospectionQuery<'_>],
) -> Result<Vec<Records>, WireError> {
    send_within(connection, statements, PATIENCE).await
}

/// Sends statements as [`send`] does, with another timeout of each statement.
pub(super) async fn send_within(
    connection: &mut Connection,
    statements: &[IntrospectionQuery<'_>],
    limit: Duration,
) -> Result<Vec<Records>, WireError> {
    let bookmarks = Bookmarks::default();
    let mut transaction = Transaction::new(Access::Read, &bookmarks);
    transaction.timeout = Some(limit);
    let mut batch = connection.batch();
    for IntrospectionQuery { text, parameter } in statements {
        let count = usize::from(parameter.is_some());
        batch.run(Scope::Alone(&transaction), text, count, |pack| {
            if let Some(parameter) = parameter {
                parameter.write(pack);
            }
            Ok::<_, WireError>(())
        })?;
    }
    let mut results = Vec::new();
    batch.exchange(&mut results).await?;
    Ok(results)
}

/// The records of a statement, each read by a function; none for a statement that was not sent.
pub(super) fn rows<T>(
    records: Option<&Records>,
    read: impl Fn(&[u8]) -> Result<T, Unexpected>,
) -> Result<Vec<T>, IntrospectError> {
    let Some(records) = records else { return Ok(Vec::new()) };
    records.iter().map(|record| Ok(read(record)?)).collect()
}
