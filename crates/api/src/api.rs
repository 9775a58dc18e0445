//! An API: a GraphQL schema with a binding for each of its positions.

use std::sync::{Arc, LazyLock};

use catalog::{EntityId, FieldId, FunctionId, Note, RelationshipId};
use graphql::schema::{EnumValueId, InputId, Schema, TypeId, TypeRef};
use ir::ValueForm;
use rustc_hash::FxHashMap;

use crate::binding::{
    CallBinding, ColumnBinding, EntityBinding, FieldBinding, InputBinding, ValueBinding,
    VariantBinding, VariantsId, WayBinding, WaysId,
};

/// What a dialect makes of a catalog.
#[derive(Clone, Debug, Default)]
pub struct Api {
    pub schema: Schema,
    pub(crate) fields: Vec<FieldBinding>,
    pub(crate) inputs: Vec<InputBinding>,
    pub(crate) values: Vec<ValueBinding>,
    pub(crate) columns: FxHashMap<FieldId, ColumnBinding>,
    /// What stands for fields that are null.
    pub(crate) absent: FxHashMap<FieldId, Absent>,
    /// Fields that hold the same value as another.
    pub(crate) twins: FxHashMap<FieldId, FieldId>,
    /// The entities of the properties of a graph's relationships.
    pub(crate) edges: FxHashMap<RelationshipId, EntityId>,
    pub(crate) entities: FxHashMap<EntityId, EntityBinding>,
    /// What values of input types are at the source, where they are not as they are given.
    pub(crate) forms: FxHashMap<TypeId, Arc<ValueForm>>,
    pub(crate) calls: FxHashMap<FunctionId, CallBinding>,
    /// Entities by what their opaque ids begin with.
    pub(crate) prefixes: FxHashMap<Box<str>, EntityId>,
    pub(crate) nesting: Option<Nesting>,
    pub(crate) variants: Vec<Vec<VariantBinding>>,
    pub(crate) ways: Vec<Vec<Vec<WayBinding>>>,
    /// What of a request's changes is done together.
    pub transactions: Transactions,
    /// The schema as a federated graph is told it, if the API is a subgraph of one.
    pub subgraph_sdl: Option<Box<str>>,
    /// Collisions of names and what else could not be offered.
    pub notes: Vec<Note>,
}

/// What stands for a field that is null, where it is shown and where it is compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Absent {
    pub value: ir::Value,
    /// The same as a field shows it, if it does: version 3 of a graph's API compares it only.
    pub json: Option<Box<[u8]>>,
}

/// What of a request's changes is done together, or not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transactions {
    /// Each root field by itself.
    #[default]
    Each,
    /// All of them.
    Request,
}

/// How many levels of relationships a root field may have below its own.
#[derive(Clone, Debug)]
pub struct Nesting {
    pub most: usize,
    /// What a field that has more says.
    pub message: Box<str>,
}

impl Api {
    /// Whether the query type offers no rows and no values: then there is nothing to serve.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let is_of_source = |field: &FieldBinding| {
            matches!(
                field,
                FieldBinding::Rows(_) | FieldBinding::Computed(_) | FieldBinding::Mutation(_)
            )
        };
        !self.fields.iter().any(is_of_source)
    }

    #[must_use]
    pub fn field(&self, id: graphql::schema::FieldId) -> &FieldBinding {
        &self.fields[id.index()]
    }

    #[must_use]
    pub fn input(&self, id: InputId) -> &InputBinding {
        &self.inputs[id.index()]
    }

    #[must_use]
    pub fn value(&self, id: EnumValueId) -> &ValueBinding {
        &self.values[id.index()]
    }

    /// How a field of an entity is written, if the API shows it.
    #[must_use]
    pub fn find_column(&self, field: FieldId) -> Option<&ColumnBinding> {
        self.columns.get(&field)
    }

    /// What stands for a field where it is null, if not null itself.
    #[must_use]
    pub fn find_absent(&self, field: FieldId) -> Option<&Absent> {
        self.absent.get(&field)
    }

    /// Whether what changes one of two fields changes the other.
    #[must_use]
    pub fn are_one(&self, field: FieldId, other: FieldId) -> bool {
        let first = |field: FieldId| self.twins.get(&field).copied().unwrap_or(field);
        first(field) == first(other)
    }

    /// The entity of the properties that a relationship of a graph has, if conditions depend on
    /// which it is.
    #[must_use]
    pub fn find_edge(&self, relationship: RelationshipId) -> Option<EntityId> {
        self.edges.get(&relationship).copied()
    }

    /// The entity whose opaque ids begin with `prefix`.
    #[must_use]
    pub fn find_entity_by_prefix(&self, prefix: &str) -> Option<EntityId> {
        self.prefixes.get(prefix).copied()
    }

    /// Entities whose rows stand together.
    #[must_use]
    pub fn variants(&self, id: VariantsId) -> &[VariantBinding] {
        self.variants.get(id.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// The ways along a relationship of which nodes of several entities are at an end, from the
    /// nodes of each entity that are at this one.
    #[must_use]
    pub fn ways(&self, id: WaysId) -> &[Vec<WayBinding>] {
        self.ways.get(id.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// How deep relationships may be nested, if the API limits it.
    #[must_use]
    pub fn nesting(&self) -> Option<&Nesting> {
        self.nesting.as_ref()
    }

    /// What values of an input type are at the source; `None`: as they are given.
    #[must_use]
    pub fn find_form(&self, r#type: TypeRef) -> Option<Arc<ValueForm>> {
        listed(self.forms.get(&r#type.base).cloned(), r#type)
    }

    /// Whether values of an input type are read by a form.
    pub(crate) fn has_form(&self, r#type: TypeId) -> bool {
        self.forms.contains_key(&r#type)
    }

    /// How a function is called, if the API shows it.
    #[must_use]
    pub fn find_call(&self, function: FunctionId) -> Option<&CallBinding> {
        self.calls.get(&function)
    }

    /// What lists of an entity have in common, if the API shows it.
    #[must_use]
    pub fn find_entity(&self, entity: EntityId) -> Option<&EntityBinding> {
        self.entities.get(&entity)
    }
}

/// A form within as many lists as the type has. A list of plain values needs none.
pub(crate) fn listed(base: Option<Arc<ValueForm>>, r#type: TypeRef) -> Option<Arc<ValueForm>> {
    let Some(item) = r#type.item() else { return base };
    match listed(base, item) {
        Some(element) => Some(Arc::new(ValueForm::List(element))),
        // Lists of lists are told from lists of values that are lists.
        None if item.is_list() => {
            Some(Arc::new(ValueForm::List(Arc::new(ValueForm::List(plain())))))
        }
        None => None,
    }
}

/// The form of values that are as they are given: nearly all members have it, so it is one.
pub(crate) fn plain() -> Arc<ValueForm> {
    static PLAIN: LazyLock<Arc<ValueForm>> = LazyLock::new(|| Arc::new(ValueForm::Plain));
    Arc::clone(&PLAIN)
}
