//! Changes of rows: whether there were some, and which.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::error::SourceError;

/// The state of a source's rows: if two are equal, nothing was committed between them. Different ones
/// may have the same rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker(pub Box<[u8]>);

/// A table of a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TableName {
    /// The schema of a SQL database; `None` where the source has no such level.
    pub namespace: Option<Box<str>>,
    pub name: Box<str>,
}

/// Tables whose changes a stream reports, without those of which other rows decide who may read them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    pub tables: Vec<TableName>,
}

/// Committed changes of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableChange {
    pub table: Arc<ChangedTable>,
    pub rows: ChangedRows,
}

/// A table as its changes describe it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedTable {
    pub name: TableName,
    /// The names of the columns of [`RowChange`].
    pub columns: Vec<Box<str>>,
}

/// The changed rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangedRows {
    /// All, or too many to list them.
    Any,
    Rows(Vec<RowChange>),
}

/// A row before and after a change; `None` if it did not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowChange {
    pub before: Option<Vec<Cell>>,
    pub after: Option<Vec<Cell>>,
}

/// The value of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    Null,
    /// As the database prints it.
    Text(Bytes),
    /// The change does not tell it.
    Unknown,
}

/// The interface of a driver to the state of its rows, over a connection of its own.
pub trait ChangeProbe {
    /// Reads the state of the rows. After an error the next read connects again.
    fn marker(&mut self) -> impl Future<Output = Result<Marker, SourceError>>;

    /// The longest useful interval between two reads: a driver whose reads cost little has a short
    /// one. `usual` is the configured interval.
    fn interval(&self, usual: Duration) -> Duration {
        usual
    }
}

/// The changes of a source, as its database reports them.
pub trait ChangeStream {
    fn coverage(&self) -> &Coverage;

    /// Waits for changes of the covered tables, and returns those of one or more transactions.
    /// Statements that begin after that see them. Cancel safe. After an error the stream is over.
    fn next(&mut self) -> impl Future<Output = Result<Vec<TableChange>, SourceError>>;
}

/// The ways by which a source tells its changes.
pub trait Changes {
    type Probe: ChangeProbe;
    type Stream: ChangeStream;

    /// The probe; `None` if nothing tells changes cheaply.
    fn probe(&self) -> Option<Self::Probe>;

    /// Begins a stream of the changes of these tables from now on. `Err` is the reason why there is
    /// none, with a remedy if there is one.
    fn stream(&self, tables: &[TableName]) -> impl Future<Output = Result<Self::Stream, NoStream>>;
}

/// The means by which one server of several relays the stream of changes to the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Relay {
    /// Each server has a stream of its own.
    None,
    /// NOTIFY of PostgreSQL, where the source has it.
    #[default]
    Notify,
}

/// The reason why changes are not streamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoStream {
    /// The source has none, whatever its configuration is.
    NotOffered,
    /// The configuration or the rights of the source do not allow it.
    NotAllowed(Box<str>),
    /// It may be possible later.
    Failed(SourceError),
}
