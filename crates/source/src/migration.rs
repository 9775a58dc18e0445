//! The history of a database's migrations.

/// A migration in the history, with the state after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// From 1.
    pub number: i64,
    /// The type definitions.
    pub definitions: String,
    /// The tables, as JSON.
    pub tables: String,
}

/// A migration that was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedMigration {
    /// From 1.
    pub number: i64,
    /// In UTC, as ISO 8601 with milliseconds.
    pub applied_at: String,
    /// The type definitions.
    pub definitions: String,
}

/// What a catalog does not tell of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnDetails {
    pub table: String,
    pub column: String,
    /// The characters that a text of a limited length has at most.
    pub length: Option<u32>,
    /// The schema and the name of the sequence whose next number is its default, or its identity.
    pub sequence: Option<(String, String)>,
}

/// A migration that is to be recorded.
#[derive(Clone, Copy, Debug)]
pub struct Record<'r> {
    pub definitions: &'r str,
    pub tables: &'r str,
    /// The statements, as a script.
    pub statements: &'r str,
}

/// Whether a migration may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MigrationAccess {
    /// Only looks at the database.
    Read,
    /// Creates a file that is not there, and keeps other migrations away.
    Write,
}

/// Whether an extension of the database can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtensionState {
    Installed,
    Creatable,
    Missing,
}
