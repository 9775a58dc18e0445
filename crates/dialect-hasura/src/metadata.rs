//! Metadata as an option: the source of it that a database is served with.

use std::sync::{Arc, Mutex, PoisonError};

use catalog::{Note, NoteKind, WrittenQueries};
use hasura_metadata::types::connection::ConnectionUrl;
use hasura_metadata::types::name::NameParts;
use hasura_metadata::types::permission::TablePermissions;
use hasura_metadata::types::source::Source;
use hasura_metadata::types::table::Table;
pub use hasura_metadata::{Folder, Reading, read_folder, read_text};
use hasura_metadata::{Metadata, PackedMetadata, Problem, support};
use rustc_hash::FxHashSet;

use crate::environment::Environment;
use crate::key_queries;
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
        /// The names of further sources with databases of their own.
        further: Vec<Box<str>>,
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
         `--metadata-source`, and give the addresses of others with `--further-source NAME=URL`",
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
    #[error(
        "`--further-source` and `--metadata-source` name the source `{0}` of the metadata twice: name each once"
    )]
    Repeated(String),
}

fn lines(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

impl ServedSource {
    /// Chooses the source of the served database: the one of the name, else the only one.
    pub fn choose(reading: Reading, name: Option<&str>) -> Result<Self, MetadataError> {
        Self::choose_beside(reading, name, &[])
    }

    /// Chooses the first source of the metadata, beside further sources with databases of their own.
    pub fn choose_beside(
        reading: Reading,
        name: Option<&str>,
        further: &[&str],
    ) -> Result<Self, MetadataError> {
        let errors: Vec<Problem> = reading.errors().cloned().collect();
        let mut metadata = match reading.metadata {
            Some(metadata) if errors.is_empty() => metadata,
            _ => return Err(MetadataError::Problems(errors)),
        };
        for (number, other) in further.iter().enumerate() {
            find_source(&metadata, other)?;
            if name == Some(other) || further[..number].contains(other) {
                return Err(MetadataError::Repeated((*other).to_owned()));
            }
        }
        let names = || metadata.sources.iter().map(|source| source.name.text.clone()).collect();
        let index = match name {
            Some(name) => find_source(&metadata, name)?,
            None => {
                let sources = metadata.sources.iter().enumerate();
                let mut rest = sources.filter(|(_, one)| !further.contains(&&*one.name.text));
                match (rest.next(), rest.next()) {
                    (Some((only, source)), None) => {
                        find_source(&metadata, &source.name.text)?;
                        only
                    }
                    (Some(_), Some(_)) => return Err(MetadataError::SeveralSources(names())),
                    (None, _) => return Err(MetadataError::NoSource),
                }
            }
        };
        let source = &metadata.sources[index];
        let others = metadata.sources.iter().enumerate();
        let others = others
            .filter(|(other, source)| *other != index && !further.contains(&&*source.name.text));
        let others = others.map(|(_, other)| Note {
            kind: NoteKind::Unserved,
            subject: format!("the source {}", other.name.text).into(),
            message: format!("the served database is the source {}.", source.name.text).into(),
            remedy:
                "give its address with `--further-source NAME=URL`, or serve it by a process of its own."
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

    /// Another source of the same metadata, whose API has fields for the relationships that lead to it
    /// from other sources. Its notices are those of this one.
    pub fn further(&self, name: &str) -> Result<Self, MetadataError> {
        let Some(mut metadata) = self.packed.read().metadata else {
            return Err(MetadataError::NoSource);
        };
        let index = find_source(&metadata, name)?;
        key_queries::add(&mut metadata, index);
        // The API of the first source has them.
        metadata.actions = Default::default();
        metadata.custom_types = Default::default();
        metadata.remote_schemas = Default::default();
        let own = metadata.sources.get_mut(index).into_iter();
        for table in own.flat_map(|source| &mut source.0.tables) {
            table.remote_relationships = Default::default();
        }
        keep_known_parents(&mut metadata, index);
        let permissions = take_permissions(&mut metadata, index);
        let permissions = Arc::new(Mutex::new(permissions));
        let (metadata, packed) = (Arc::new(metadata), self.packed.clone());
        Ok(Self { metadata, permissions, packed, index, notices: Arc::new([]) })
    }

    /// The name of this source, if relationships of other sources lead to it.
    #[must_use]
    pub fn first_with_relationships(&self) -> Option<&str> {
        let name = &*self.source().name.text;
        key_queries::incoming(&self.metadata, name).next().map(|_| name)
    }

    /// The address of the source in the metadata, or why there is none to be used.
    pub fn address(&self, environment: &Environment) -> Result<String, Box<str>> {
        let Some(connection) = self.source().configuration.connection() else {
            return Err("the metadata has no address of PostgreSQL for it".into());
        };
        match &connection.database_url {
            ConnectionUrl::Text(text) => Ok(text.clone()),
            ConnectionUrl::FromEnv(name) => {
                let known = environment.require(name, &connection.place).map(ToOwned::to_owned);
                known.map_err(|_| format!("the environment variable {name} is not set").into())
            }
            ConnectionUrl::Parameters(_) | ConnectionUrl::FromFile(_) => Err(
                "its address in the metadata is in parts or in a file; `--further-source NAME=URL` \
                 gives it"
                    .into(),
            ),
        }
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

/// Leaves out roles without permissions in a source as parents of inherited roles: they may have some
/// in another source.
fn keep_known_parents(metadata: &mut Metadata, index: usize) {
    let Some(source) = metadata.sources.get(index) else { return };
    let mut known: FxHashSet<String> = FxHashSet::default();
    for table in &source.tables {
        known.extend(table.select_permissions.iter().map(|one| one.role.text.clone()));
        known.extend(table.insert_permissions.iter().map(|one| one.role.text.clone()));
        known.extend(table.update_permissions.iter().map(|one| one.role.text.clone()));
        known.extend(table.delete_permissions.iter().map(|one| one.role.text.clone()));
    }
    let models = source.logical_models.iter().flat_map(|model| &model.select_permissions);
    known.extend(models.map(|one| one.role.text.clone()));
    known.extend(metadata.inherited_roles.iter().map(|role| role.role_name.text.clone()));
    for role in metadata.inherited_roles.iter_mut() {
        role.role_set.retain(|parent| known.contains(&parent.text));
    }
}

/// The index of a source of a kind that is served.
fn find_source(metadata: &Metadata, name: &str) -> Result<usize, MetadataError> {
    let sources = &metadata.sources;
    let index = sources.iter().position(|source| source.name.text == name).ok_or_else(|| {
        let known = sources.iter().map(|source| source.name.text.clone()).collect();
        MetadataError::UnknownSource { name: name.to_owned(), known }
    })?;
    match &sources[index].kind {
        kind if kind.is_served() => Ok(index),
        kind => {
            let (name, kind) = (name.to_owned(), kind.to_string());
            Err(MetadataError::OtherKind { name, kind })
        }
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
