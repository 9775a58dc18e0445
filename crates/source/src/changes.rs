//! Changes of rows: whether there were some, and which.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::error::SourceError;
use crate::message_bus::MessageBus;

/// The state of a source's rows: if two are equal, nothing was committed between them. Different ones
/// may have the same rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker(pub Box<[u8]>);

/// The name of a table or view of a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TableName {
    /// The schema of a SQL database; `None` where the source has no such level.
    pub namespace: Option<Box<str>>,
    pub name: Box<str>,
}

/// Tables and views whose rows, as any session reads them, differ only after changes that a stream
/// reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    pub relations: Vec<CoveredRelation>,
}

/// A covered table or view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoveredRelation {
    pub name: TableName,
    /// The tables whose changes are changes of its rows: the table itself, its partitions, tables that
    /// inherit from it. Empty for a view.
    pub stored_in: Vec<TableName>,
    /// Columns of a row that decide who may read it.
    pub row_security: Columns,
    /// Tables of which the rows decide what is read: those of a view, and those of row security.
    pub depends_on: Vec<Dependence>,
}

/// A table on which the rows of another relation depend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependence {
    pub table: TableName,
    /// An update of other columns has no effect. Inserts and deletes always have one.
    pub columns: Columns,
}

/// Columns of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Columns {
    All,
    Only(BTreeSet<Box<str>>),
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
    /// The change does not tell it. After an update: the value is the same as before.
    Unknown,
    /// After an update: another value than before, which the change does not tell.
    Changed,
}

/// Streams that a source may begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StreamKind {
    /// The log of the database, otherwise triggers.
    #[default]
    Any,
    /// Triggers, which send notifications.
    Triggers,
}

/// The origin of the changes of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamOrigin {
    /// The log of the database, or the connection that writes.
    Own,
    /// Another server, which reads the log.
    Relayed,
    /// Triggers, which send notifications.
    Triggers,
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

impl Columns {
    /// Adds other columns.
    pub fn add(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::All, _) => {}
            (_, Self::All) => *self = Self::All,
            (Self::Only(known), Self::Only(other)) => known.extend(other.iter().cloned()),
        }
    }

    #[must_use]
    pub fn contains(&self, column: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(known) => known.contains(column),
        }
    }
}

impl Cell {
    /// Returns true if an update of this value may have written another one.
    #[must_use]
    pub fn may_become(&self, after: &Self) -> bool {
        match (self, after) {
            // The value after it is left out where it is the same.
            (_, Self::Unknown) => false,
            (before, after) => before != after,
        }
    }
}

impl Default for Columns {
    fn default() -> Self {
        Self::Only(BTreeSet::new())
    }
}

/// The changes of a source, as its database reports them.
pub trait ChangeStream {
    fn coverage(&self) -> &Coverage;

    fn origin(&self) -> StreamOrigin;

    /// Waits for changes of the covered tables, and returns those of one or more transactions.
    /// Statements that begin after that see them. Cancel safe. After an error the stream is over.
    fn next(&mut self) -> impl Future<Output = Result<Vec<TableChange>, SourceError>>;

    /// Returns false if definitions or permissions on which the coverage depends have changed since
    /// the stream began.
    fn is_current(&mut self) -> impl Future<Output = Result<bool, SourceError>>;
}

/// The ways by which a source tells its changes.
pub trait Changes {
    type Probe: ChangeProbe;
    type Stream: ChangeStream;

    /// The probe; `None` if nothing tells changes cheaply.
    fn probe(&self) -> Option<Self::Probe>;

    /// Begins a stream of the changes of these tables and views from now on. `Err` is the reason why
    /// there is none, with a remedy if there is one.
    fn stream(
        &self,
        relations: &[TableName],
        kind: StreamKind,
    ) -> impl Future<Output = Result<Self::Stream, NoStream>>;
}

/// The means by which one server of several relays the stream of changes to the others.
#[derive(Clone, Debug, Default)]
pub enum Relay {
    /// Each server has a stream of its own.
    None,
    /// NOTIFY of PostgreSQL, where the source has it.
    #[default]
    Notify,
    /// A broker of messages.
    Bus(Arc<dyn MessageBus>),
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
