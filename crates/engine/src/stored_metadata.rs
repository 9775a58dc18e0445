//! Metadata that a running Hasura keeps in the served database, in the row of
//! `hdb_catalog.hdb_metadata`.

use std::borrow::Cow;

use dialects::Dialect;
use dialects::hasura::metadata::{
    MetadataError, MetadataSetting, OWN_SCHEMA, ServedSource, read_text,
};
use sources::{Address, OpenOptions, Source};

use crate::engine::{OpenError, Options};
use crate::enum_tables;

/// Hasura's table of its metadata, and the column of the metadata.
const TABLE: &str = "hdb_metadata";
const COLUMN: &str = "metadata";

/// Limit of the metadata's bytes.
const BYTES: u64 = 256 << 20;

/// The reason why the metadata of a database cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StoredMetadataError {
    #[error(
        "the database has no metadata of a running Hasura in {OWN_SCHEMA}.{TABLE}, which \
         `--metadata database` reads: give the path of a folder or a file, or the address of the \
         database in HASURA_GRAPHQL_METADATA_DATABASE_URL"
    )]
    Missing,
    #[error("the metadata in {OWN_SCHEMA}.{TABLE} cannot be opened: {0}")]
    Source(Box<sources::OpenError>),
    #[error("the metadata in {OWN_SCHEMA}.{TABLE} cannot be served: {0}")]
    Metadata(#[from] MetadataError),
}

/// The options with the metadata that they leave in the database, and with the schemas that it
/// tracks unless they name others. A reload reads the metadata again.
pub async fn read<'o>(
    address: &Address,
    options: &'o Options,
) -> Result<Cow<'o, Options>, OpenError> {
    let Dialect::Hasura(dialect) = &options.dialect else { return Ok(Cow::Borrowed(options)) };
    let MetadataSetting::Stored { source: name } = &dialect.metadata else {
        return Ok(Cow::Borrowed(options));
    };
    let served = read_stored(address, &options.source, name.as_deref()).await?;
    let mut options = options.clone();
    if options.source.namespaces.is_empty() {
        options.source.namespaces = served.schemas();
    }
    if let Dialect::Hasura(dialect) = &mut options.dialect {
        dialect.metadata = MetadataSetting::Read(served);
    }
    Ok(Cow::Owned(options))
}

/// The metadata of a setting, which may leave it in the database.
pub async fn served(
    address: &Address,
    options: &OpenOptions,
    setting: &MetadataSetting,
) -> Result<Option<ServedSource>, OpenError> {
    Ok(match setting {
        MetadataSetting::None => None,
        MetadataSetting::Stored { source } => {
            Some(read_stored(address, options, source.as_deref()).await?)
        }
        MetadataSetting::Read(served) => Some(served.clone()),
    })
}

/// The metadata of the database, with the source of this name.
async fn read_stored(
    address: &Address,
    options: &OpenOptions,
    name: Option<&str>,
) -> Result<ServedSource, OpenError> {
    let text = stored(address, options).await?;
    let reading = read_text(&[OWN_SCHEMA, TABLE].join("."), &text);
    Ok(ServedSource::choose(reading, name).map_err(StoredMetadataError::Metadata)?)
}

/// The text of the metadata.
async fn stored(address: &Address, options: &OpenOptions) -> Result<Box<str>, OpenError> {
    let own = OpenOptions {
        namespaces: vec![OWN_SCHEMA.to_owned()],
        timeouts: options.timeouts,
        ..OpenOptions::default()
    };
    let (source, catalog) = Source::open(address, &own)
        .await
        .map_err(|error| StoredMetadataError::Source(Box::new(error)))?;
    let table = catalog.find_entity(Some(OWN_SCHEMA), TABLE);
    let column = table.and_then(|table| catalog.find_field(table.id, COLUMN));
    let (Some(table), Some(column)) = (table, column) else {
        return Err(StoredMetadataError::Missing.into());
    };
    let rows = enum_tables::read_entity(&source, &catalog, table.id, &[column.id], BYTES).await?;
    let text = rows.into_iter().flatten().flatten().next();
    Ok(text.ok_or(StoredMetadataError::Missing)?)
}
