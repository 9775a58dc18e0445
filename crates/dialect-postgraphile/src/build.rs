//! An API under construction.

use catalog::{
    Argument, ArgumentType, Catalog, CompositeId, DomainId, EntityId, EnumId, FieldId, Note, Type,
};
use graphql::schema::{
    FieldDefinition, InputDefinition, TypeDefinition, TypeId, TypeKind, TypeRef,
};
use response::{Figure, JsonForm};
use rustc_hash::{FxHashMap, FxHashSet};

use super::api_types::{AggregateTypes, ComputedValue, RowInput, ValueType};
use super::claims::Claims;
use super::enum_tables::EnumTables;
use super::naming::Inflection;
use super::tags::annotations::Annotations;
use super::{Options, scalars};
use api::{Api, ApiBuilder};

/// The owner of the name of a built-in value type, in notes.
const OF_VALUES: &str = "a type of values that the API shows";

/// Shared state of the construction.
#[derive(Debug)]
pub(super) struct Build<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) options: &'a Options,
    pub(super) annotations: &'a Annotations,
    /// Tables whose rows are the values of enums.
    pub(super) enum_tables: &'a EnumTables,
    /// Naming rules.
    pub(super) inflection: Inflection<'a>,
    pub(super) api: ApiBuilder,
    /// The names of all types.
    pub(super) types: Claims,
    /// Those that PostGraphile defines for values.
    of_values: FxHashSet<Box<str>>,
    /// Such types that could not be made, since their name is taken.
    taken: FxHashSet<Box<str>>,
    /// Types that were made for a type of the catalog. `None` marks an unsupported one.
    pub(super) named: FxHashMap<Named, Option<ValueType>>,
    /// Range types by the name of their elements' type.
    pub(super) ranges: FxHashMap<Box<str>, TypeId>,
    /// The types of their bounds.
    pub(super) bounds: FxHashMap<Box<str>, TypeId>,
    /// The shared filter types, by name; `None` where one could not be made.
    pub(super) filters: FxHashMap<Box<str>, Option<TypeId>>,
    /// Computed columns of each table.
    pub(super) computed: FxHashMap<EntityId, Vec<ComputedValue>>,
    /// The connections of sets of composites, by the type of these.
    pub(super) composite_connections: FxHashMap<TypeId, TypeId>,
    /// The index of each served entity.
    pub(super) places: FxHashMap<EntityId, usize>,
    /// The prefix of each entity's node ids, if it has any.
    pub(super) node_prefixes: FxHashMap<EntityId, Box<str>>,
    /// The names of the fields of decomposed composites' types.
    pub(super) decomposed: FxHashMap<EntityId, Claims>,
    /// The field of a changed row with its cursor, in payloads.
    pub(super) payload_edges: FxHashMap<EntityId, graphql::schema::FieldId>,
    /// True if some input value is a row.
    pub(super) gives_rows: bool,
    /// The types of entities' rows so far.
    pub(super) row_types: FxHashMap<EntityId, TypeId>,
    /// The input types of entities' rows; `None` where one could not be made.
    pub(super) row_inputs: FxHashMap<(EntityId, RowInput), Option<TypeId>>,
    /// The types of aggregates of the entities that have them.
    pub(super) aggregates: FxHashMap<EntityId, AggregateTypes>,
}

/// A type of the catalog that has a type of its own in the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Named {
    Enum(EnumId),
    Domain(DomainId),
    Composite(CompositeId),
    Figure(Figure),
    /// An enum whose values are rows, by its index.
    EnumTable(usize),
}

impl<'a> Build<'a> {
    pub(super) fn new(
        catalog: &'a Catalog,
        annotations: &'a Annotations,
        enum_tables: &'a EnumTables,
        options: &'a Options,
        of_values: &FxHashSet<Box<str>>,
    ) -> Self {
        let mut types = Claims::default();
        for name in scalars::RESERVED_TYPES {
            types.reserve(name, "a type of every API");
        }
        if options.node_ids {
            types.reserve(scalars::NODE, "a type of every API with node ids");
        }
        if options.simple_subscriptions {
            types.reserve(scalars::LISTEN_PAYLOAD, "the type of events");
        }
        for name in of_values {
            types.reserve(name, OF_VALUES);
        }
        Self {
            catalog,
            options,
            annotations,
            enum_tables,
            inflection: Inflection::new(options, catalog.given()),
            api: ApiBuilder::default(),
            types,
            of_values: of_values.clone(),
            taken: FxHashSet::default(),
            named: FxHashMap::default(),
            filters: FxHashMap::default(),
            ranges: FxHashMap::default(),
            bounds: FxHashMap::default(),
            computed: FxHashMap::default(),
            composite_connections: FxHashMap::default(),
            places: FxHashMap::default(),
            node_prefixes: FxHashMap::default(),
            decomposed: FxHashMap::default(),
            payload_edges: FxHashMap::default(),
            gives_rows: gives_rows(catalog),
            row_types: FxHashMap::default(),
            row_inputs: FxHashMap::default(),
            aggregates: FxHashMap::default(),
        }
    }

    /// Adds a type whose name was claimed.
    pub(super) fn add_type(
        &mut self,
        name: &str,
        description: Option<Box<str>>,
        kind: TypeKind,
    ) -> Option<TypeId> {
        let description = description.map(Into::into);
        self.api.add_type(TypeDefinition { name: name.into(), description, kind })
    }

    /// A reference to one of PostGraphile's own scalars, which is made lazily.
    pub(super) fn scalar(&mut self, name: &str) -> Option<TypeRef> {
        if scalars::is_type_of_values(name) && !self.take_type_of_values(name) {
            return None;
        }
        if let Some(found) = self.api.schema().find_type(name) {
            return Some(TypeRef::named(found));
        }
        let description =
            scalars::description(name, self.json(), self.options.version).map(Into::into);
        let made = self.add_type(name, description, TypeKind::Scalar)?;
        if let Some(form) = scalars::form(name, self.json()) {
            self.api.bind_form(made, form);
        }
        Some(TypeRef::named(made))
    }

    /// Takes the name of a type that PostGraphile defines for values; `false` if it is taken by
    /// something else, which is then omitted when the API is made again.
    pub(super) fn take_type_of_values(&mut self, name: &str) -> bool {
        if self.of_values.contains(name) {
            return true;
        }
        if self.types.has(name) {
            self.taken.insert(name.into());
            return false;
        }
        self.types.reserve(name, OF_VALUES);
        self.of_values.insert(name.into())
    }

    /// True if PostGraphile defines a type of this name for values.
    pub(super) fn is_type_of_values(&self, name: &str) -> bool {
        self.of_values.contains(name)
    }

    /// The API; or the names of value types that are taken.
    pub(super) fn finish(self) -> Result<Api, FxHashSet<Box<str>>> {
        if self.taken.is_empty() { Ok(self.api.finish()) } else { Err(self.taken) }
    }

    /// The form of JSON in responses and arguments.
    pub(super) fn json(&self) -> JsonForm {
        match self.options.dynamic_json {
            true => JsonForm::Embedded,
            false => JsonForm::Text,
        }
    }

    /// The prefix of an entity's node ids.
    pub(super) fn node_prefix(&self, entity: EntityId) -> Box<str> {
        self.node_prefixes.get(&entity).cloned().unwrap_or_default()
    }

    pub(super) fn note(&mut self, note: Note) {
        self.api.note(note);
    }

    /// `public.person`
    pub(super) fn entity_name(&self, entity: EntityId) -> String {
        self.catalog.qualified_name(entity)
    }

    /// `public.person.full_name`
    pub(super) fn field_name(&self, field: FieldId) -> String {
        let field = &self.catalog[field];
        format!("{}.{}", self.entity_name(field.entity), field.name)
    }

    /// The names of fields in the database.
    pub(super) fn names(&self, fields: &[FieldId]) -> Vec<&'a str> {
        fields.iter().map(|field| &*self.catalog[*field].name).collect()
    }
}

/// True if a function takes a row, or a column holds one.
fn gives_rows(catalog: &Catalog) -> bool {
    let holds = |r#type: &Type| match r#type {
        Type::Row(_) => true,
        Type::List(element) => matches!(**element, Type::Row(_)),
        _ => false,
    };
    let takes = |argument: &Argument| match &argument.r#type {
        ArgumentType::Row(_) => true,
        ArgumentType::Value(r#type) => holds(r#type),
    };
    catalog.functions().any(|function| function.arguments.iter().any(takes))
        || catalog.fields().any(|field| holds(&field.r#type))
}

/// An object type without fields.
pub(super) fn object(interfaces: Vec<TypeId>) -> TypeKind {
    TypeKind::Object { fields: Vec::new(), interfaces: interfaces.into() }
}

pub(super) fn field(name: &str, description: &str, r#type: TypeRef) -> FieldDefinition {
    FieldDefinition { description: Some(description.into()), ..FieldDefinition::new(name, r#type) }
}

pub(super) fn input(name: &str, description: &str, r#type: TypeRef) -> InputDefinition {
    InputDefinition { description: Some(description.into()), ..InputDefinition::new(name, r#type) }
}
