//! Metadata as an option: the source of it that a database is served with.

use std::sync::{Arc, Mutex, PoisonError};

use catalog::{Note, NoteKind, WrittenQueries};
use hasura_metadata::types::name::NameParts;
use hasura_metadata::types::permission::TablePermissions;
use hasura_metadata::types::source::Source;
use hasura_metadata::types::table::Table;
pub use hasura_metadata::{Folder, Reading, read_folder, read_text};
use hasura_metadata::{Metadata, PackedMetadata, Problem, support};

use crate::native_queries::NativeQueries;

/// Limit of places that a notice lists.
const MAX_PLACES: usize = 5;

/// The schema of Hasura's own tables, which are never served.
pub const OWN_SCHEMA: &str = "hdb_catalog";

/// Where the metadata of an API is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MetadataSetting {
    /// There is none: all tables are tracked.
    #[default]
    None,
    /// In the row of the served database that a running Hasura keeps; whoever opens the database
    /// reads it first, and puts [`MetadataSetting::Read`] in its place.
    Stored {
        /// The name of the source in the metadata, if there are several.
        source: Option<Box<str>>,
    },
    /// It was read.
    Read(ServedSource),
}

/// A source of metadata, with the metadata around it.
#[derive(Clone, Debug)]
pub struct ServedSource {
    /// Without the permissions on the tables of the source.
    metadata: Arc<Metadata>,
    /// These permissions, in the order of the tables, until an API is made of them: they are most of
    /// the metadata, and are not needed beside the API.
    permissions: Arc<Mutex<Option<Vec<TablePermissions>>>>,
    /// The compressed metadata, which stays in memory after the start.
    packed: PackedMetadata,
    /// The index of the source.
    index: usize,
    /// Notices of the parts of the metadata that have no effect.
    notices: Arc<[Note]>,
}

impl PartialEq for ServedSource {
    fn eq(&self, other: &Self) -> bool {
        let Self { metadata, permissions: _, packed: _, index, notices } = self;
        *metadata == other.metadata
            && *index == other.index
            && *notices == other.notices
            && self.copy_permissions() == other.copy_permissions()
    }
}

/// Metadata is compared by its content, whose numbers are never NaN.
impl Eq for ServedSource {}

/// The reason why metadata cannot be served, before a database is asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetadataError {
    #[error("{}", lines(.0))]
    Problems(Vec<Problem>),
    #[error("the metadata has no source")]
    NoSource,
    #[error(
        "the metadata has several sources: {}; name the one of the served database with \
         `--metadata-source`",
        .0.join(", ")
    )]
    SeveralSources(Vec<String>),
    #[error("the metadata has no source `{name}`; its sources are: {}", .known.join(", "))]
    UnknownSource { name: String, known: Vec<String> },
    #[error(
        "the source `{name}` of the metadata is of the kind {kind}, and only sources of PostgreSQL \
         are served"
    )]
    OtherKind { name: String, kind: String },
}

fn lines(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

impl ServedSource {
    /// Chooses the source of the served database: the one of the name, else the only one.
    pub fn choose(reading: Reading, name: Option<&str>) -> Result<Self, MetadataError> {
        let errors: Vec<Problem> = reading.errors().cloned().collect();
        let mut metadata = match reading.metadata {
            Some(metadata) if errors.is_empty() => metadata,
            _ => return Err(MetadataError::Problems(errors)),
        };
        let names = || metadata.sources.iter().map(|source| source.name.text.clone()).collect();
        let index = match (name, &metadata.sources[..]) {
            (Some(name), sources) => {
                sources.iter().position(|source| source.name.text == name).ok_or_else(|| {
                    MetadataError::UnknownSource { name: name.into(), known: names() }
                })?
            }
            (None, []) => return Err(MetadataError::NoSource),
            (None, [_]) => 0,
            (None, _) => return Err(MetadataError::SeveralSources(names())),
        };
        let source = &metadata.sources[index];
        if !source.kind.is_served() {
            let (name, kind) = (source.name.text.clone(), source.kind.to_string());
            return Err(MetadataError::OtherKind { name, kind });
        }
        let others = metadata.sources.iter().enumerate().filter(|(other, _)| *other != index);
        let others = others.map(|(_, other)| Note {
            kind: NoteKind::Unserved,
            subject: format!("the source {}", other.name.text).into(),
            message: format!("the served database is the source {}.", source.name.text).into(),
            remedy: "serve it by a process of its own, or as a subgraph of `thalweg gateway`."
                .into(),
        });
        let told = reading.problems.iter().filter(|problem| !problem.kind.is_error());
        let told = told.map(|problem| Note {
            kind: NoteKind::Unserved,
            subject: problem.place.to_string().into(),
            message: problem.message.as_str().into(),
            remedy: "none is needed, if this is meant.".into(),
        });
        let unserved = support::by_key(&reading.unserved).into_iter().map(|key| {
            let places = key.places.iter().take(MAX_PLACES).map(ToString::to_string);
            let places = places.collect::<Vec<_>>().join(", ");
            let more = match key.places.len().saturating_sub(MAX_PLACES) {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            Note {
                kind: NoteKind::Unserved,
                subject: format!("{}.{}", key.object, key.key).into(),
                message: format!("it has no effect: {} ({places}{more}).", key.support).into(),
                remedy: "docs/hasura-metadata.md has the status of each key.".into(),
            }
        });
        let notices: Vec<Note> = told.chain(others).chain(unserved).collect();
        let permissions = Arc::new(Mutex::new(take_permissions(&mut metadata, index)));
        let (metadata, packed) = (Arc::new(metadata), reading.packed);
        Ok(Self { notices: notices.into(), metadata, permissions, packed, index })
    }

    /// The permissions on the tables of the source, in their order. They are read again if they were
    /// taken before.
    #[must_use]
    pub fn take_permissions(&self) -> Vec<TablePermissions> {
        let mut known = self.permissions.lock().unwrap_or_else(PoisonError::into_inner);
        known.take().unwrap_or_else(|| self.read_permissions())
    }

    fn copy_permissions(&self) -> Vec<TablePermissions> {
        let known = self.permissions.lock().unwrap_or_else(PoisonError::into_inner);
        known.clone().unwrap_or_else(|| self.read_permissions())
    }

    fn read_permissions(&self) -> Vec<TablePermissions> {
        let metadata = self.packed.read().metadata;
        let permissions =
            metadata.and_then(|mut metadata| take_permissions(&mut metadata, self.index));
        debug_assert!(permissions.is_some(), "metadata that was read cannot be read again");
        permissions.unwrap_or_default()
    }

    /// The metadata without the permissions on the tables of the source.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The whole metadata, to be kept.
    #[must_use]
    pub fn packed(&self) -> &PackedMetadata {
        &self.packed
    }

    /// The source of the served database.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.metadata.sources[self.index].0
    }

    /// Notices of the parts of the metadata that have no effect.
    #[must_use]
    pub fn notices(&self) -> &[Note] {
        &self.notices
    }

    /// The native queries of the source, which the database makes functions of; `None` if there are
    /// none. Their problems are told when the API is made.
    #[must_use]
    pub fn written_queries(&self) -> Option<Arc<WrittenQueries>> {
        let source = self.source();
        (!source.native_queries.is_empty() || !source.logical_models.is_empty())
            .then(|| Arc::new(NativeQueries::new(source).written))
    }

    /// The schemas that tables and functions of the source are in, in the order of the metadata.
    #[must_use]
    pub fn schemas(&self) -> Vec<String> {
        let source = self.source();
        let tables = source.tables.iter().map(|table| &table.table);
        let computed = source.tables.iter().flat_map(|table| &table.computed_fields);
        let computed = computed.map(|field| &field.definition.function);
        let functions = source.functions.iter().map(|function| &function.function);
        let mut schemas: Vec<String> = Vec::new();
        for name in tables.chain(functions).chain(computed) {
            let NameParts::InSchema { schema, .. } = &name.parts else { continue };
            if schema != OWN_SCHEMA && !schemas.contains(schema) {
                schemas.push(schema.clone());
            }
        }
        schemas
    }
}

/// Takes the permissions on the tables of a source out of metadata.
fn take_permissions(metadata: &mut Metadata, index: usize) -> Option<Vec<TablePermissions>> {
    let source = metadata.sources.get_mut(index)?;
    Some(source.0.tables.iter_mut().map(Table::take_permissions).collect())
}

impl MetadataSetting {
    /// The source of the served database; `None` without metadata, and before it was read.
    #[must_use]
    pub fn served(&self) -> Option<&ServedSource> {
        match self {
            Self::Read(served) => Some(served),
            Self::None | Self::Stored { .. } => None,
        }
    }
}
