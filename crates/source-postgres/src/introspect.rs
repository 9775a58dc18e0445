//! Reads a PostgreSQL database's catalogs into a [`Catalog`]: `introspect`.
//!
//! * [`read`]: a handful of set-based statements, whatever the number of tables, in one snapshot
//! * [`rows`]: what these statements answer
//! * [`scalar`]: the types without parts, and which of them compare as their text does
//! * [`types`]: the types with parts, as far as some column reaches them
//! * [`fill`]: rows to entities, keys, indexes and relationships
//! * [`functions`]: rows to functions
//! * [`partitions`]: foreign keys of partitions
//! * [`privileges`]: what may be done with them, by the rights of roles
//! * `watch`: whether the schema is still the same
//!
//! What is served is what is in the given schemas and, unless asked otherwise, does not belong to
//! an extension. A
//! partitioned table stands for its partitions, which are not listed. Constraints come in the
//! order in which PostGraphile reads them: by the age of their table, then by their columns.

mod fill;
mod functions;
mod partitions;
mod privileges;
mod read;
mod rows;
mod scalar;
mod types;
pub(crate) mod watch;

use crate::options::{Extensions, Rights};
use catalog::{Catalog, EntityId, FieldId, FunctionId, RangeId};

/// The oldest version whose system catalogs are read, as `server_version_num` counts.
const OLDEST_VERSION: u32 = 130_000;

/// What a database holds, and what only PostgreSQL's own compiler needs to know of it.
#[derive(Clone, Debug)]
pub struct Introspected {
    pub catalog: Catalog,
    pub types: PhysicalTypes,
    /// As `server_version_num` counts: 15.4 is `150004`.
    pub server_version: u32,
}

/// The types of columns, rows and arguments as the protocol names them.
#[derive(Clone, Debug, Default)]
pub struct PhysicalTypes {
    /// By the index of the field's id.
    fields: Vec<FieldType>,
    /// The types of arrays of rows, by the index of the entity's id; 0 where there is none.
    row_arrays: Vec<u32>,
    /// Whether a key tells all rows, by the index of the entity's id.
    one_table: Vec<bool>,
    /// By the index of the function's id, then by their places.
    arguments: Vec<Vec<ArgumentOids>>,
    /// The types of the elements of ranges, by the index of the range's id.
    range_elements: Vec<u32>,
}

impl PhysicalTypes {
    /// The type of a field of the catalog that was read together with these types.
    #[must_use]
    pub fn of(&self, field: FieldId) -> FieldType {
        self.fields[field.index()]
    }

    /// The type of arrays of an entity's rows; 0 if there is none.
    #[must_use]
    pub fn row_array(&self, entity: EntityId) -> u32 {
        self.row_arrays.get(entity.index()).copied().unwrap_or_default()
    }

    /// Whether the entity is a table whose keys tell all of its rows: no other inherits from it.
    #[must_use]
    pub fn is_one_table(&self, entity: EntityId) -> bool {
        self.one_table.get(entity.index()).copied().unwrap_or_default()
    }

    /// The type of an argument; 0 if there is no such argument.
    #[must_use]
    pub fn argument(&self, function: FunctionId, place: u16) -> ArgumentOids {
        let arguments = self.arguments.get(function.index());
        arguments.and_then(|types| types.get(usize::from(place))).copied().unwrap_or_default()
    }

    /// The type of a range's elements.
    #[must_use]
    pub fn element_of(&self, range: RangeId) -> u32 {
        self.range_elements.get(range.index()).copied().unwrap_or_default()
    }
}

/// The type of an argument of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArgumentOids {
    pub oid: u32,
    /// The type of an array of such values; 0 if there is none.
    pub array_oid: u32,
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldType {
    pub oid: u32,
    /// The type of an array of such values; 0 if there is none.
    pub array_oid: u32,
    /// The same below domains: what a domain does not let through is equal to no value of it.
    pub base_array_oid: u32,
    /// What a parameter that is compared with it must say that it is; 0 where PostgreSQL infers it.
    pub parameter_oid: u32,
    /// The same for an array of such values.
    pub parameter_array_oid: u32,
    /// Whether two values that are equal for the database always print the same text, and two
    /// that print the same text are equal. False where it is not known.
    pub identity_is_text: bool,
    /// How many characters a value has at most, where that is known and they are not many.
    pub most_characters: Option<u32>,
}

/// Why a database could not be read.
#[derive(Debug, thiserror::Error)]
pub enum IntrospectError {
    #[error("the system catalogs could not be read: {}", cause(.0))]
    Database(#[from] tokio_postgres::Error),
    #[error(
        "there is no schema {}; this database has the schemas {}",
        unknown.join(", "),
        existing.join(", ")
    )]
    UnknownNamespace { unknown: Vec<String>, existing: Vec<String> },
    #[error(
        "PostgreSQL {} is too old; {} or newer is needed",
        found / 10_000,
        OLDEST_VERSION / 10_000
    )]
    TooOld { found: u32 },
}

/// The database's own words, where the error has them: the driver's text leaves them out.
fn cause(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(error) => error.message().into(),
        None => error.to_string(),
    }
}

/// Reads everything in `namespaces`, whose order the entities follow.
///
/// The connection is used for a transaction of its own: it must not be in one, and nothing else
/// may be sent over it until this future is done. A connection on which the future was dropped
/// half-way is still in that transaction and is to be closed.
pub async fn introspect(
    client: &tokio_postgres::Client,
    namespaces: &[String],
    extensions: Extensions,
    rights: Rights,
) -> Result<Introspected, IntrospectError> {
    let found = read::read(client, namespaces, extensions, rights).await?;
    let (catalog, types) = fill::fill(&found);
    Ok(Introspected { catalog, types, server_version: found.server_version })
}
