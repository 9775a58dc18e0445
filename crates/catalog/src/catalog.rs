//! The arena of a source's entities, fields, relationships, types and functions.

use std::collections::HashMap;
use std::ops::Index;

use crate::entity::{ConstraintComment, Entity, Field, Relationship};
use crate::field_default::FieldDefault;
use crate::function::Function;
use crate::given::GivenNames;
use crate::ids::{
    CompositeId, DomainId, EntityId, EnumId, FieldId, FunctionId, RangeId, RelationshipId, SearchId,
};
use crate::known_rows::KnownRows;
use crate::note::Note;
use crate::row_estimate::RowEstimate;
use crate::search::Search;
use crate::types::{Composite, Domain, Enum, Range, Scalar, Type};
use crate::written::WrittenProblem;

/// The contents of a source, as far as they can be represented. Made by [`crate::Builder`].
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    pub(crate) entities: Vec<Entity>,
    /// Stored entities by namespace and name; empty until the catalog is complete.
    pub(crate) by_name: Box<[EntityId]>,
    pub(crate) fields: Vec<Field>,
    /// Few fields have one, and few APIs need it.
    pub(crate) field_defaults: HashMap<FieldId, FieldDefault>,
    pub(crate) relationships: Vec<Relationship>,
    pub(crate) enums: Vec<Enum>,
    pub(crate) composites: Vec<Composite>,
    pub(crate) domains: Vec<Domain>,
    pub(crate) ranges: Vec<Range>,
    pub(crate) functions: Vec<Function>,
    pub(crate) searches: Vec<Search>,
    pub(crate) constraint_comments: Vec<ConstraintComment>,
    pub(crate) notes: Vec<Note>,
    pub(crate) written_problems: Vec<WrittenProblem>,
    pub(crate) capabilities: Capabilities,
    pub(crate) known_rows: HashMap<EntityId, KnownRows>,
    pub(crate) row_estimates: HashMap<EntityId, RowEstimate>,
    pub(crate) relationship_estimates: HashMap<RelationshipId, u64>,
    pub(crate) given: GivenNames,
    /// True if the database has distributed tables, whose rows are on several servers (Citus).
    pub(crate) is_distributed: bool,
}

/// Capabilities of the source, for dialects. A dialect never tests which source it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// Objects can have comments.
    pub comments: bool,
    /// Filters compare JSON of every kind by its content; they require no order of it.
    pub json_content: bool,
    /// JSON values compare by content, not by their text.
    pub json_equality: bool,
    /// Namespaces are part of names.
    pub namespaces: bool,
    /// Columns accept values of any type, whatever their declared type.
    pub any_values: bool,
    /// There are standard deviations and variances.
    pub statistics: bool,
    /// Moments of different time zones are compared and truncated as moments, not as texts.
    pub time_zones: bool,
}

fn name_of(entity: &Entity) -> (Option<&str>, &str) {
    (entity.namespace.as_deref(), &entity.name)
}

impl Catalog {
    /// Entities whose rows the source stores; rows of functions are reached through the functions.
    pub fn entities(&self) -> impl Iterator<Item = &Entity> {
        self.entities.iter().filter(|entity| entity.kind.is_stored())
    }

    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter()
    }

    pub fn searches(&self) -> impl Iterator<Item = &Search> {
        self.searches.iter()
    }

    /// The fields of all entities.
    pub fn fields(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter()
    }

    pub fn relationships(&self) -> impl Iterator<Item = &Relationship> {
        self.relationships.iter()
    }

    pub fn enums(&self) -> impl Iterator<Item = &Enum> {
        self.enums.iter()
    }

    pub fn composites(&self) -> impl Iterator<Item = &Composite> {
        self.composites.iter()
    }

    pub fn domains(&self) -> impl Iterator<Item = &Domain> {
        self.domains.iter()
    }

    pub fn ranges(&self) -> impl Iterator<Item = &Range> {
        self.ranges.iter()
    }

    /// Comments on constraints, those of objects outside of the catalog included: writes through
    /// the API may violate them.
    #[must_use]
    pub fn constraint_comments(&self) -> &[ConstraintComment] {
        &self.constraint_comments
    }

    /// Makes every 32-bit integer field a 64-bit one, for sources whose integers have 64 bits
    /// whatever their declaration says.
    pub fn widen_integers(&mut self) {
        for field in &mut self.fields {
            if field.r#type == Type::Scalar(Scalar::Int32) {
                field.r#type = Type::Scalar(Scalar::Int64);
            }
        }
    }

    /// Contents of the source that could not be represented.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The reasons why queries of the schema's author became no functions.
    #[must_use]
    pub fn written_problems(&self) -> &[WrittenProblem] {
        &self.written_problems
    }

    /// The function of an author's query.
    #[must_use]
    pub fn find_written(&self, name: &str) -> Option<&Function> {
        let mut functions = self.functions.iter();
        functions
            .find(|one| one.statement.is_some() && one.namespace.is_none() && *one.name == *name)
    }

    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// The entity's fields in the order of the source.
    pub fn fields_of(&self, entity: EntityId) -> impl Iterator<Item = &Field> {
        self[entity].fields.iter().map(|field| &self[*field])
    }

    #[must_use]
    pub fn find_entity(&self, namespace: Option<&str>, name: &str) -> Option<&Entity> {
        if self.by_name.is_empty() {
            return self.entities().find(|entity| name_of(entity) == (namespace, name));
        }
        let place = self.by_name.partition_point(|id| name_of(&self[*id]) < (namespace, name));
        let found = self.by_name.get(place).map(|id| &self[*id]);
        found.filter(|entity| name_of(entity) == (namespace, name))
    }

    /// Sorts the stored entities by name; of several with one name, the first is found.
    pub(crate) fn sort_names(&mut self) {
        let mut ids: Vec<EntityId> = self.entities().map(|entity| entity.id).collect();
        ids.sort_by(|one, other| name_of(&self[*one]).cmp(&name_of(&self[*other])));
        self.by_name = ids.into();
    }

    #[must_use]
    pub fn find_field(&self, entity: EntityId, name: &str) -> Option<&Field> {
        self.fields_of(entity).find(|field| &*field.name == name)
    }

    /// The value of a field that an insert omits, if it was read and is known.
    #[must_use]
    pub fn default_of(&self, field: FieldId) -> Option<&FieldDefault> {
        self.field_defaults.get(&field)
    }

    /// The type below all domains.
    #[must_use]
    pub fn base_type<'a>(&'a self, r#type: &'a Type) -> &'a Type {
        let mut current = r#type;
        while let Type::Domain(domain) = current {
            current = &self[*domain].base;
        }
        current
    }

    /// `namespace.name`, or the name alone.
    #[must_use]
    pub fn qualified_name(&self, entity: EntityId) -> String {
        let entity = &self[entity];
        qualified(entity.namespace.as_deref(), &entity.name)
    }

    /// The function's name for messages: `namespace.name`, or the name alone.
    #[must_use]
    pub fn function_name(&self, function: FunctionId) -> String {
        let function = &self[function];
        qualified(function.namespace.as_deref(), &function.name)
    }
}

fn qualified(namespace: Option<&str>, name: &str) -> String {
    match namespace {
        Some(namespace) => format!("{namespace}.{name}"),
        None => name.into(),
    }
}

macro_rules! arena {
    ($($id:ident => $element:ident in $arena:ident;)*) => {$(
        impl Index<$id> for Catalog {
            type Output = $element;

            fn index(&self, id: $id) -> &$element {
                &self.$arena[id.index()]
            }
        }
    )*};
}

arena! {
    EntityId => Entity in entities;
    FieldId => Field in fields;
    RelationshipId => Relationship in relationships;
    EnumId => Enum in enums;
    CompositeId => Composite in composites;
    DomainId => Domain in domains;
    RangeId => Range in ranges;
    FunctionId => Function in functions;
    SearchId => Search in searches;
}
