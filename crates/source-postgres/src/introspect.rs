//! Reads a PostgreSQL database's catalogs into a [`Catalog`]: `introspect`.
//!
//! * [`read`]: a handful of set-based statements, whatever the number of tables, in one snapshot
//! * [`rows`]: the results of these statements
//! * [`scalar`]: the types without parts, and which of them compare as their text does
//! * [`types`]: the types with parts, as far as some column reaches them
//! * [`fill`]: rows to entities, keys, indexes and relationships
//! * [`distributed`]: tables on several servers
//! * [`functions`]: rows to functions
//! * [`written`]: queries of the schema's author as functions
//! * [`partitions`]: foreign keys of partitions
//! * [`privileges`]: operations that the rights of roles allow
//! * `watch`: whether the schema is still the same
//!
//! Objects of the given schemas are served, without those of extensions by default. A partitioned
//! table represents its partitions, which are not listed. Constraints come in the order in which
//! PostGraphile reads them: by the age of their table, then by their columns.

mod distributed;
mod fill;
mod functions;
mod partitions;
mod privileges;
mod read;
mod rows;
mod scalar;
mod types;
pub(crate) mod watch;
mod written;

use crate::options::{Defaults, Extensions, FunctionName, PostgresOptions, Rights};
use crate::product::{Product, TooOld};
use catalog::{Catalog, EntityId, FieldId, FunctionId, RangeId};
use source::Timeouts;

/// The oldest supported version, as `server_version_num`.
const OLDEST_VERSION: u32 = 130_000;

/// The catalog of a database, and the physical types for PostgreSQL's own compiler.
#[derive(Clone, Debug)]
pub struct Introspected {
    pub catalog: Catalog,
    pub types: PhysicalTypes,
    /// `server_version_num`: 15.4 is `150004`.
    pub server_version: u32,
}

/// The types of columns, rows and arguments as the protocol names them.
#[derive(Clone, Debug, Default)]
pub struct PhysicalTypes {
    /// By the index of the field's id.
    fields: Vec<FieldType>,
    /// OIDs of arrays of rows, by the index of the entity's id; 0 where there is none.
    row_arrays: Vec<u32>,
    /// Whether keys identify all rows, by the index of the entity's id.
    one_table: Vec<bool>,
    /// By the index of the function's id, then by their places.
    arguments: Vec<Vec<ArgumentOids>>,
    /// The types of the elements of ranges, by the index of the range's id.
    range_elements: Vec<u32>,
    pub(crate) product: Product,
}

impl PhysicalTypes {
    /// The type of a field of the catalog that was read together with these types.
    #[must_use]
    pub fn of(&self, field: FieldId) -> FieldType {
        self.fields[field.index()]
    }

    /// The OID of arrays of an entity's rows; 0 if there is none.
    #[must_use]
    pub fn row_array(&self, entity: EntityId) -> u32 {
        self.row_arrays.get(entity.index()).copied().unwrap_or_default()
    }

    /// Whether the entity is a table whose keys identify all of its rows: no other inherits from
    /// it.
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
    /// The OID of an array of such values; 0 if there is none.
    pub array_oid: u32,
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldType {
    pub oid: u32,
    /// The OID of an array of such values; 0 if there is none.
    pub array_oid: u32,
    /// The OID of arrays of the base type: a value that a domain refuses is equal to no value of
    /// the domain.
    pub base_array_oid: u32,
    /// The type of a parameter that is compared with it; 0 where PostgreSQL infers it.
    pub parameter_oid: u32,
    /// The type of an array parameter that is compared with it; 0 where PostgreSQL infers it.
    pub parameter_array_oid: u32,
    /// Whether values are equal for the database if and only if they print the same text. False
    /// where it is not known.
    pub identity_is_text: bool,
    /// Most characters of a value, where there is a small limit.
    pub most_characters: Option<u32>,
}

/// The reason why a database could not be read.
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
        "there is no function `{}.{}(text) returns text`, or several functions have this name",
        .0.namespace,
        .0.name
    )]
    UnknownFunction(FunctionName),
    #[error(
        "PostgreSQL {} is too old; {} or newer is needed",
        found / 10_000,
        OLDEST_VERSION / 10_000
    )]
    TooOld { found: u32 },
    #[error(transparent)]
    TooOldProduct(#[from] TooOld),
}

/// The database's own message, where the error has one: the driver's text omits it.
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
    let timeouts = Timeouts::default();
    let options = PostgresOptions {
        namespaces,
        extensions,
        rights,
        defaults: Defaults::LeftOut,
        called: None,
        written: None,
        timeouts,
        direct: None,
        reads: None,
    };
    introspect_with(client, &options).await
}

/// Reads everything that the options name, as [`introspect`] does.
pub(crate) async fn introspect_with(
    client: &tokio_postgres::Client,
    options: &PostgresOptions<'_>,
) -> Result<Introspected, IntrospectError> {
    let found = read::read(client, options).await?;
    let (catalog, types) = fill::fill(&found);
    Ok(Introspected { catalog, types, server_version: found.server_version })
}
