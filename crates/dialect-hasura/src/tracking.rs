//! Metadata in terms of the catalog: tracked tables with their relationships. What the metadata
//! names and the database does not have is a problem with a place.
//!
//! * `relationships`: relationships by foreign keys, and manual ones, which the catalog gets declared
//! * `functions`: functions of the root, and computed fields
//! * `native_queries`: native queries, with the relationships from them and to them
//! * `enum_tables`: tables whose rows are the values of enums

mod enum_tables;
mod functions;
mod native_queries;
mod relationships;

use std::sync::LazyLock;

use catalog::{
    ArgumentType, Catalog, Entity, EntityId, EntityKind, FunctionResult, Note, NoteKind, Type,
};
use graphql::similar_names;
use hasura_metadata::naming::Naming;
use hasura_metadata::types::name::{NameParts, QualifiedName};
use hasura_metadata::types::source::{NamingConvention, SourceCustomization};
use hasura_metadata::types::table::{Table, TableConfiguration};
use hasura_metadata::{Location, Problem, ProblemKind};
use rustc_hash::FxHashMap;

use super::Options;
use super::metadata::{OWN_SCHEMA, ServedSource};
use super::values::{Values, values};
pub(super) use enum_tables::EnumSource;
use enum_tables::enum_source;
pub(super) use functions::{
    ComputedResult, FunctionArgument, FunctionArguments, TrackedComputed, TrackedFunction,
};
pub(super) use native_queries::{
    QueryRelation, RelationTarget, TrackedModel, TrackedQueries, TrackedQuery,
};
pub(super) use relationships::TrackedRelationship;
use relationships::relationships;

/// The schema whose tables have no prefix, and the one of sources without schemas.
const DEFAULT_SCHEMA: &str = "public";

/// The names of a source without customization.
pub(super) static PLAIN: LazyLock<SourceCustomization> =
    LazyLock::new(SourceCustomization::default);

/// The names of a table without configuration.
static UNCHANGED: LazyLock<TableConfiguration> = LazyLock::new(TableConfiguration::default);

/// What is tracked of a source.
#[derive(Debug)]
pub(super) struct Tracking<'m> {
    pub(super) naming: Naming<'m>,
    /// True if numbers that JavaScript may round are strings.
    stringify_numeric_types: bool,
    /// The tracked tables; without metadata all tables are tracked.
    pub(super) tables: Option<FxHashMap<EntityId, TrackedTable<'m>>>,
    /// In the order of the metadata.
    pub(super) functions: Vec<TrackedFunction<'m>>,
    pub(super) native: TrackedQueries<'m>,
    pub(super) problems: Vec<Problem>,
}

/// A tracked table.
#[derive(Debug)]
pub(super) struct TrackedTable<'m> {
    pub(super) table: &'m Table,
    /// In the order of the metadata.
    pub(super) relationships: Vec<TrackedRelationship<'m>>,
    /// Those that lead to native queries.
    pub(super) query_relationships: Vec<QueryRelation<'m>>,
    pub(super) computed_fields: Vec<TrackedComputed<'m>>,
    /// Its columns, if its rows are the values of an enum.
    pub(super) enum_source: Option<EnumSource>,
}

impl<'m> Tracking<'m> {
    /// Resolves the names of the metadata, and declares manual relationships in the catalog.
    pub(super) fn new(catalog: &mut Catalog, options: &'m Options) -> Self {
        let stringify_numeric_types = options.stringify_numeric_types;
        let Some(served) = options.metadata.served() else {
            let naming = Naming { convention: options.naming_convention, customization: &PLAIN };
            return Self {
                naming,
                stringify_numeric_types,
                tables: None,
                functions: Vec::new(),
                native: TrackedQueries::default(),
                problems: Vec::new(),
            };
        };
        let source = served.source();
        let customization = &source.customization;
        let convention = customization.naming_convention.unwrap_or(options.naming_convention);
        let mut problems = Vec::new();
        served.notices().iter().for_each(|notice| catalog.note(notice.clone()));
        let mut native = TrackedQueries::new(catalog, source, &mut problems);
        let tables = tables(catalog, served, &native, &mut problems);
        let ids: Vec<EntityId> = tables.keys().copied().collect();
        native.add_relationships(catalog, &ids, &mut problems);
        let functions = functions::functions(catalog, source, &ids, &mut problems);
        let naming = Naming { convention, customization };
        let tables = Some(tables);
        Self { naming, stringify_numeric_types, tables, functions, native, problems }
    }

    /// The representation of a type's values in responses.
    pub(super) fn values(&self, catalog: &Catalog, r#type: &Type) -> Values {
        match self.stringify_numeric_types {
            true => values(catalog, r#type).stringified(),
            false => values(catalog, r#type),
        }
    }

    /// The table of metadata; `None` if it is not tracked, or if there is no metadata.
    pub(super) fn find(&self, entity: EntityId) -> Option<&TrackedTable<'m>> {
        self.tables.as_ref()?.get(&entity)
    }

    /// True if the entity is in the API.
    pub(super) fn is_tracked(&self, entity: &Entity) -> bool {
        match &self.tables {
            Some(tables) => tables.contains_key(&entity.id),
            None => entity.namespace.as_deref() != Some(OWN_SCHEMA),
        }
    }

    /// The types of values that functions take and return.
    pub(super) fn types_of_functions<'c>(
        &self,
        catalog: &'c Catalog,
    ) -> impl Iterator<Item = &'c Type> {
        let computed = self.tables.iter().flat_map(|tables| tables.values());
        let computed = computed.flat_map(|tracked| &tracked.computed_fields);
        let functions = self.functions.iter().map(|function| function.function);
        let functions = functions.chain(computed.map(|computed| computed.function));
        let functions = functions.chain(self.native.queries.iter().map(|query| query.function));
        functions.flat_map(|id| {
            let result = match catalog[id].result {
                FunctionResult::Value(field) => Some(&catalog[field].r#type),
                _ => None,
            };
            let arguments = catalog[id].arguments.iter();
            let arguments = arguments.filter_map(|argument| match &argument.r#type {
                ArgumentType::Value(r#type) => Some(r#type),
                ArgumentType::Row(_) => None,
            });
            arguments.chain(result)
        })
    }

    /// The configuration of a table.
    pub(super) fn configuration(&self, entity: EntityId) -> &'m TableConfiguration {
        self.find(entity).map_or(&UNCHANGED, |tracked| &tracked.table.configuration)
    }

    /// The convention of names.
    pub(super) fn convention(&self) -> NamingConvention {
        self.naming.convention
    }
}

/// A part of metadata that refers to what the database does not have.
pub(super) fn missing(place: &Location, message: String) -> Problem {
    Problem { kind: ProblemKind::MissingPart, place: place.clone(), message }
}

/// The note for a part that is left out because of a problem.
pub(super) fn left_out_part(problem: &Problem) -> Note {
    Note {
        kind: NoteKind::Inconsistent,
        subject: problem.place.to_string().into(),
        message: problem.message.as_str().into(),
        remedy: "correct the metadata, or change the database.".into(),
    }
}

/// The tracked tables; problems are added.
fn tables<'m>(
    catalog: &mut Catalog,
    served: &'m ServedSource,
    native: &TrackedQueries<'m>,
    problems: &mut Vec<Problem>,
) -> FxHashMap<EntityId, TrackedTable<'m>> {
    let mut tracked = Vec::new();
    for table in &served.source().tables {
        match find_table(catalog, &table.table) {
            Ok(entity) => {
                check_columns(catalog, entity, table, problems);
                let source = table.is_enum.then(|| enum_source(catalog, entity, table));
                let source = source.transpose().map_err(|problem| problems.push(problem));
                tracked.push((entity.id, table, source.ok().flatten()));
            }
            Err(problem) => problems.push(problem),
        }
    }
    let ids: Vec<EntityId> = tracked.iter().map(|(entity, ..)| *entity).collect();
    let tables = tracked.into_iter().map(|(entity, table, enum_source)| {
        let mut query_relationships = Vec::new();
        let to_queries = (native, &mut query_relationships);
        let relationships = relationships(catalog, entity, table, (&ids, to_queries), problems);
        let computed_fields = functions::computed_fields(catalog, entity, table, &ids, problems);
        let tracked = TrackedTable {
            table,
            relationships,
            query_relationships,
            computed_fields,
            enum_source,
        };
        (entity, tracked)
    });
    tables.collect()
}

/// Reports configurations of columns that the table does not have.
fn check_columns(catalog: &Catalog, entity: &Entity, table: &Table, problems: &mut Vec<Problem>) {
    for (column, configuration) in &table.configuration.column_config {
        if catalog.find_field(entity.id, column).is_none() {
            problems.push(missing_column(catalog, entity.id, column, &configuration.place));
        }
    }
}

/// The problem of a column that does not exist.
fn missing_column(catalog: &Catalog, entity: EntityId, column: &str, place: &Location) -> Problem {
    let known = catalog.fields_of(entity).map(|field| &*field.name);
    let message = format!(
        "The column `{column}` of {} does not exist. {}",
        catalog.qualified_name(entity),
        remedy(column, known)
    );
    missing(place, message)
}

fn remedy<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    match similar_names(name, known).first() {
        Some(similar) => format!("Did you mean `{similar}`?"),
        None => "Create it, or remove it from the metadata.".to_owned(),
    }
}

/// The table or view of a name of metadata.
fn find_table<'c>(catalog: &'c Catalog, name: &QualifiedName) -> Result<&'c Entity, Problem> {
    let NameParts::InSchema { schema, name: table } = &name.parts else {
        let message = format!("`{}` is no name of PostgreSQL.", name.sort_key());
        return Err(missing(&name.place, message));
    };
    if schema == OWN_SCHEMA {
        let message = format!("Tables of the schema {OWN_SCHEMA} are Hasura's own: remove it.");
        return Err(missing(&name.place, message));
    }
    let found = catalog.find_entity(namespace(catalog, schema), table);
    found.filter(|entity| is_table(entity.kind)).ok_or_else(|| {
        let known: Vec<String> =
            catalog.entities().map(|entity| catalog.qualified_name(entity.id)).collect();
        let names = || known.iter().map(String::as_str);
        let written = match namespace(catalog, schema) {
            Some(schema) => format!("{schema}.{table}"),
            None => table.clone(),
        };
        let message =
            format!("The table `{written}` does not exist. {}", remedy(&written, names()));
        missing(&name.place, message)
    })
}

/// The namespace of a schema: sources without namespaces have the default one only.
pub(super) fn namespace<'s>(catalog: &Catalog, schema: &'s str) -> Option<&'s str> {
    match catalog.capabilities().namespaces {
        false if schema == DEFAULT_SCHEMA => None,
        _ => Some(schema),
    }
}

/// True for what can be tracked.
pub(super) fn is_table(kind: EntityKind) -> bool {
    match kind {
        EntityKind::Table
        | EntityKind::View
        | EntityKind::MaterializedView
        | EntityKind::ForeignTable => true,
        EntityKind::Record
        | EntityKind::Model
        | EntityKind::ValueSet
        | EntityKind::Composite
        | EntityKind::Node
        | EntityKind::Edge => false,
    }
}
