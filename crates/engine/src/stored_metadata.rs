//! Metadata that a running Hasura keeps in the served database, in the row of
//! `hdb_catalog.hdb_metadata`; and the schemas that metadata of any origin tracks.

use std::borrow::Cow;

use catalog::Catalog;
use dialects::Dialect;
use dialects::hasura::metadata::{
    MetadataError, MetadataSetting, OWN_SCHEMA, ServedSource, read_text,
};
use sources::{Address, Defaults, OpenOptions, Source};

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
    let MetadataSetting::Stored { source: name, further } = &dialect.metadata else {
        return Ok(Cow::Borrowed(options));
    };
    let served = read_stored(address, &options.source, name.as_deref(), further).await?;
    let mut options = options.clone();
    if options.source.namespaces.is_empty() {
        options.source.namespaces = served.schemas();
    }
    options.source.written = served.written_queries();
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
        MetadataSetting::Stored { source, further } => {
            Some(read_stored(address, options, source.as_deref(), further).await?)
        }
        MetadataSetting::Read(served) => Some(served.clone()),
    })
}

/// The metadata of the database, with the source of this name.
async fn read_stored(
    address: &Address,
    options: &OpenOptions,
    name: Option<&str>,
    further: &[Box<str>],
) -> Result<ServedSource, OpenError> {
    let text = stored(address, options).await?;
    let reading = read_text(&[OWN_SCHEMA, TABLE].join("."), &text);
    let further: Vec<&str> = further.iter().map(|name| &**name).collect();
    let chosen = ServedSource::choose_beside(reading, name, &further);
    Ok(chosen.map_err(StoredMetadataError::Metadata)?)
}

/// Opens the source of an API. A schema that only the metadata names may be missing: each table
/// there is a problem of its own, which has its place.
pub(crate) async fn open(
    address: &Address,
    options: &Options,
) -> Result<(Source, Catalog), sources::OpenError> {
    let source = source_options(options);
    let error = match Source::open(address, &source).await {
        Ok(opened) => return Ok(opened),
        Err(error) => error,
    };
    let Dialect::Hasura(dialect) = &options.dialect else { return Err(error) };
    let unknown = error.unknown_namespaces();
    let tracked = dialect.metadata.served().map(ServedSource::schemas);
    if unknown.is_empty() || tracked.as_ref() != Some(&options.source.namespaces) {
        return Err(error);
    }
    let mut rest = source.into_owned();
    rest.namespaces.retain(|name| !unknown.contains(name));
    Source::open(address, &rest).await
}

/// The options of the source, and what the API needs of it.
fn source_options(options: &Options) -> Cow<'_, OpenOptions> {
    let is_introspected = match &options.dialect {
        Dialect::Prisma(dialect) => dialect.is_introspected,
        Dialect::PostGraphile(_)
        | Dialect::Phrag(_)
        | Dialect::Neo4j(_)
        | Dialect::Dgraph(_)
        | Dialect::Hasura(_) => false,
    };
    match is_introspected || options.prisma_schema.is_some() {
        true => Cow::Owned(OpenOptions { defaults: Defaults::Read, ..options.source.clone() }),
        false => Cow::Borrowed(&options.source),
    }
}

/// The error of a source of metadata that cannot be served.
pub(crate) fn unserved(error: MetadataError) -> OpenError {
    StoredMetadataError::Metadata(error).into()
}

/// The text of the metadata.
async fn stored(address: &Address, options: &OpenOptions) -> Result<Box<str>, OpenError> {
    let own = OpenOptions {
        namespaces: vec![OWN_SCHEMA.to_owned()],
        timeouts: options.timeouts,
        ..OpenOptions::default()
    };
    let opened = Source::open(address, &own).await;
    let (source, catalog) = opened.map_err(|error| match error.unknown_namespaces() {
        [] => StoredMetadataError::Source(Box::new(error)),
        _ => StoredMetadataError::Missing,
    })?;
    let table = catalog.find_entity(Some(OWN_SCHEMA), TABLE);
    let column = table.and_then(|table| catalog.find_field(table.id, COLUMN));
    let (Some(table), Some(column)) = (table, column) else {
        return Err(StoredMetadataError::Missing.into());
    };
    let rows = enum_tables::read_entity(&source, &catalog, table.id, &[column.id], BYTES).await?;
    let text = rows.into_iter().flatten().flatten().next();
    Ok(text.ok_or(StoredMetadataError::Missing)?)
}
