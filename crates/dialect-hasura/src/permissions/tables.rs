//! Tables, columns and relationships by their names in metadata.

use catalog::{Catalog, EntityId, Field, FunctionId};
use graphql::similar_names;
use hasura_metadata::types::name::{NameParts, QualifiedName};
use hasura_metadata::types::table::Table;
use hasura_metadata::{Location, Problem, ProblemKind};
use ir::Hop;
use rustc_hash::FxHashMap;

/// The schema whose tables sources without schemas have.
pub(super) const DEFAULT_SCHEMA: &str = "public";

/// The tracked tables.
#[derive(Debug, Default)]
pub(crate) struct Tables<'m> {
    tables: Vec<NamedTable<'m>>,
    places: FxHashMap<EntityId, usize>,
}

/// A tracked table.
#[derive(Debug)]
pub(crate) struct NamedTable<'m> {
    pub(crate) entity: EntityId,
    pub(crate) table: &'m Table,
    pub(crate) relationships: Vec<NamedRelationship<'m>>,
}

/// A relationship by its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedRelationship<'m> {
    pub(crate) name: &'m str,
    pub(crate) hop: Hop,
    pub(crate) target: EntityId,
}

impl<'m> Tables<'m> {
    pub(crate) fn new(tables: Vec<NamedTable<'m>>) -> Self {
        let places = tables.iter().enumerate().map(|(place, table)| (table.entity, place));
        Self { places: places.collect(), tables }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &NamedTable<'m>> {
        self.tables.iter()
    }

    pub(super) fn find(&self, entity: EntityId) -> Option<&NamedTable<'m>> {
        self.tables.get(*self.places.get(&entity)?)
    }

    pub(super) fn find_relationship(
        &self,
        entity: EntityId,
        name: &str,
    ) -> Option<NamedRelationship<'m>> {
        let relationships = &self.find(entity)?.relationships;
        relationships.iter().find(|relationship| relationship.name == name).copied()
    }

    /// The table or view of a name, tracked or not.
    pub(super) fn require_entity(
        catalog: &Catalog,
        name: &QualifiedName,
    ) -> Result<EntityId, Problem> {
        find_entity(catalog, name).ok_or_else(|| {
            let known = catalog.entities().map(|entity| &*entity.name);
            let message = format!(
                "The database has no table or view `{}`{}.",
                name.sort_key(),
                meant(schema_and_name(name).map_or("", |(_, name)| name), known)
            );
            problem(&name.place, message)
        })
    }

    /// The column of a table.
    pub(super) fn require_column<'c>(
        catalog: &'c Catalog,
        entity: EntityId,
        name: &str,
        place: &Location,
    ) -> Result<&'c Field, Problem> {
        catalog.find_field(entity, name).ok_or_else(|| {
            let known = catalog.fields_of(entity).map(|field| &*field.name);
            let table = catalog.qualified_name(entity);
            problem(place, format!("{table} has no column `{name}`{}.", meant(name, known)))
        })
    }

    /// A function that a computed field of a table calls.
    pub(super) fn require_computed(
        &self,
        catalog: &Catalog,
        entity: EntityId,
        name: &str,
        place: &Location,
    ) -> Result<FunctionId, Problem> {
        let fields = self.find(entity).map(|table| &*table.table.computed_fields);
        let field = fields.unwrap_or_default().iter().find(|field| *field.name == *name);
        let function = field.and_then(|field| find_function(catalog, &field.definition.function));
        function.ok_or_else(|| {
            let table = catalog.qualified_name(entity);
            problem(place, format!("{table} has no computed field `{name}`."))
        })
    }
}

/// The table or view of a name, if the database has it.
pub(crate) fn find_entity(catalog: &Catalog, name: &QualifiedName) -> Option<EntityId> {
    let (schema, name) = schema_and_name(name)?;
    let in_schema = catalog.find_entity(Some(schema), name);
    let without = || catalog.find_entity(None, name);
    let found = in_schema.or_else(|| (schema == DEFAULT_SCHEMA).then(without).flatten());
    found.map(|entity| entity.id)
}

/// The function of a name.
pub(super) fn find_function(catalog: &Catalog, name: &QualifiedName) -> Option<FunctionId> {
    let (schema, name) = schema_and_name(name)?;
    let mut functions = catalog.functions();
    let found = functions
        .find(|function| *function.name == *name && function.namespace.as_deref() == Some(schema));
    found.map(|function| function.id)
}

fn schema_and_name(name: &QualifiedName) -> Option<(&str, &str)> {
    match &name.parts {
        NameParts::InSchema { schema, name } => Some((schema, name)),
        NameParts::InDataset { .. } | NameParts::Listed(_) => None,
    }
}

/// The problem of a permission that cannot be compiled.
pub(super) fn problem(place: &Location, message: impl Into<String>) -> Problem {
    let (kind, place) = (ProblemKind::MissingPart, place.clone());
    Problem { kind, place, message: message.into() }
}

/// ` (did you mean `name`?)`, if one of the names is like this one.
pub(super) fn meant<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
    let similar = similar_names(name, known);
    similar.first().map(|meant| format!(" (did you mean `{meant}`?)")).unwrap_or_default()
}
