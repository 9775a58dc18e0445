//! Composed schema: which subgraph resolves which types and fields.
//!
//! <https://specs.apollo.dev/join/v0.3/>. It is read once, when it is loaded; all names are
//! resolved then.

mod api;
mod connector;
mod connectors;
mod contexts;
mod directives;
mod expand;
mod field_sets;
mod join;
pub(crate) mod links;
mod objects;
mod provided;
mod read;
mod requirements;
mod weights;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use graphql::schema::{FieldId, Schema, TypeId, TypeKind, TypeRef};
use rustc_hash::{FxHashMap, FxHashSet};

pub use api::Api;
pub(crate) use connector::used_fields;
pub use connector::{Connector, ConnectorId, Entry, Part};
pub use contexts::{ContextArgument, ContextSource};
pub use expand::Tree;
pub use field_sets::{FieldSet, FieldSetId, SetSelection};
use objects::Objects;
pub use objects::TypeSet;
pub(crate) use read::read_definitions;
pub use read::{Problem, read};
pub use requirements::{Alternatives, Requirement, RequirementId, Requirements};
pub use weights::{ListSize, SizedField, Weights};

/// Index of a subgraph in its supergraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubgraphId(pub u16);

graphql::heap_size!(plain SubgraphId);

/// A subgraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subgraph {
    pub name: Arc<str>,
    /// URL; empty if the supergraph does not contain it.
    pub url: Arc<str>,
    /// For a part of another subgraph, which has connectors.
    pub part: Option<Part>,
}

/// A composed schema.
#[derive(Debug)]
pub struct Supergraph {
    /// First those of the document, then the parts of those with connectors.
    pub subgraphs: Vec<Subgraph>,
    /// By [`ConnectorId`].
    pub connectors: Vec<Connector>,
    /// All types and fields of all subgraphs, including those hidden from the API.
    pub schema: Schema,
    /// By [`TypeId`].
    types: Vec<TypeOwners>,
    /// By [`FieldId`].
    fields: Vec<FieldOwners>,
    sets: Vec<FieldSet>,
    /// Names of fields with a selection set in some field set.
    nested: FxHashSet<Arc<str>>,
    /// Types that set contexts.
    context_types: Vec<TypeId>,
    objects: Objects,
    /// Fields by name, for types with many fields.
    many: FxHashMap<TypeId, FxHashMap<Arc<str>, FieldId>>,
    /// The API schema for clients.
    pub api: Api,
    /// Authorization requirements.
    pub requirements: Requirements,
    /// Weights for the cost estimate.
    pub weights: Weights,
    /// The `@cacheTag`s of entities and root fields.
    pub cache_tags: Vec<CacheTagFormat>,
}

/// A `@cacheTag` of a type, or of a root field, in one subgraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheTagFormat {
    pub subgraph: SubgraphId,
    pub parent: TypeId,
    pub field: Option<FieldId>,
    /// A text with placeholders, such as `product-{$key.upc}` and `user-{$args.id}`.
    pub format: Box<str>,
}

/// The subgraphs that have a type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TypeOwners {
    /// In the order of the subgraphs.
    pub subgraphs: Vec<TypeIn>,
    /// For objects and interfaces: implemented interfaces by subgraph.
    pub implements: Vec<(SubgraphId, TypeId)>,
    /// For unions: member types by subgraph.
    pub members: Vec<(SubgraphId, TypeId)>,
}

/// A type in one subgraph.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeIn {
    pub subgraph: SubgraphId,
    pub keys: Vec<Key>,
    /// Whether the subgraph has it as an interface object.
    pub is_interface_object: bool,
}

/// A key of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    pub fields: FieldSetId,
    /// Whether the subgraph resolves representations with it; otherwise it only returns its fields.
    pub is_resolvable: bool,
}

/// The subgraphs that have a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldOwners {
    /// In the order of the subgraphs.
    pub subgraphs: Vec<FieldIn>,
}

/// A field in one subgraph.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldIn {
    pub subgraph: SubgraphId,
    /// Type in the subgraph; it may be narrower than in the supergraph.
    pub r#type: TypeRef,
    /// Required fields (`@requires`), which a representation must contain.
    pub requires: Option<FieldSetId>,
    /// Fields that the subgraph resolves only below this field (`@provides`).
    pub provides: Option<FieldSetId>,
    /// Arguments with context values (`@fromContext`).
    pub context: Vec<ContextArgument>,
    /// Whether the subgraph declares the field without resolving it, unless it provides it
    /// (`@external`).
    pub is_external: bool,
    /// Condition under which the subgraph resolves it.
    pub when: OverrideCondition,
}

/// Condition of a progressive `@override`: a label moves a field from one subgraph to another
/// request by request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OverrideCondition {
    Always,
    /// If the label is active.
    On(Arc<str>),
    /// If the label is inactive.
    Off(Arc<str>),
}

impl Supergraph {
    #[must_use]
    pub fn subgraph(&self, id: SubgraphId) -> &Subgraph {
        &self.subgraphs[usize::from(id.0)]
    }

    /// Returns the subgraphs of the document.
    pub fn services(&self) -> impl Iterator<Item = &Subgraph> {
        self.subgraphs.iter().filter(|subgraph| subgraph.part.is_none())
    }

    /// Returns the subgraph of the document that a subgraph is or is part of.
    #[must_use]
    pub fn service(&self, id: SubgraphId) -> &Subgraph {
        match self.subgraph(id).part {
            Some(part) => self.subgraph(part.of),
            None => self.subgraph(id),
        }
    }

    /// Whether the schema of a subgraph has connectors.
    #[must_use]
    pub fn has_connectors(&self, id: SubgraphId) -> bool {
        self.connectors.iter().any(|connector| connector.subgraph == id)
    }

    /// Returns the ids of all connectors.
    pub fn connector_ids(&self) -> impl Iterator<Item = ConnectorId> + use<> {
        (0..self.connectors.len()).map(ConnectorId::new)
    }

    /// Returns the connector of a part of a subgraph, with its entry there.
    #[must_use]
    pub fn connector(&self, id: SubgraphId) -> Option<(&Connector, Entry)> {
        let part = self.subgraph(id).part?;
        Some((self.connectors.get(part.connector.index())?, part.entry))
    }

    /// Returns all subgraphs.
    pub fn subgraph_ids(&self) -> impl Iterator<Item = SubgraphId> + use<> {
        // Supergraphs with more are refused.
        (0..u16::try_from(self.subgraphs.len()).unwrap_or(u16::MAX)).map(SubgraphId)
    }

    #[must_use]
    pub fn type_owners(&self, id: TypeId) -> &TypeOwners {
        &self.types[id.index()]
    }

    #[must_use]
    pub fn field_owners(&self, id: FieldId) -> &FieldOwners {
        &self.fields[id.index()]
    }

    /// Returns the distinct labels of progressive overrides, sorted.
    #[must_use]
    pub fn labels(&self) -> Vec<Arc<str>> {
        let owners = self.fields.iter().flat_map(|owners| &owners.subgraphs);
        let labels = owners.filter_map(|owner| match &owner.when {
            OverrideCondition::On(label) | OverrideCondition::Off(label) => Some(Arc::clone(label)),
            OverrideCondition::Always => None,
        });
        let mut labels: Vec<_> = labels.collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    #[must_use]
    pub fn field_set(&self, id: FieldSetId) -> &FieldSet {
        &self.sets[id.index()]
    }

    /// Returns a type as one subgraph has it.
    #[must_use]
    pub fn type_in(&self, id: TypeId, subgraph: SubgraphId) -> Option<&TypeIn> {
        self.type_owners(id).subgraphs.iter().find(|owner| owner.subgraph == subgraph)
    }

    /// Returns a field as one subgraph has it.
    #[must_use]
    pub fn field_in(&self, id: FieldId, subgraph: SubgraphId) -> Option<&FieldIn> {
        self.field_owners(id).subgraphs.iter().find(|owner| owner.subgraph == subgraph)
    }

    /// Returns the unions that have an object type as a member, by subgraph.
    pub fn unions_of(&self, object: TypeId) -> &[(TypeId, SubgraphId)] {
        self.objects.unions_of(object)
    }

    /// Returns the possible object types of a type, over all subgraphs.
    #[must_use]
    pub fn possible(&self, id: TypeId) -> &TypeSet {
        self.objects.possible(id)
    }

    /// Returns the possible object types of a type in one subgraph.
    #[must_use]
    pub fn possible_in(&self, id: TypeId, subgraph: SubgraphId) -> &TypeSet {
        self.objects.possible_in(id, subgraph)
    }

    /// Returns the object types of a set, in the order of the schema.
    pub fn members<'s>(&'s self, set: &'s TypeSet) -> impl Iterator<Item = TypeId> + 's {
        self.objects.members(set)
    }

    /// Returns the set of one object type.
    #[must_use]
    pub fn only(&self, object: TypeId) -> TypeSet {
        self.objects.only(object)
    }

    /// Whether an object type is in a set.
    #[must_use]
    pub fn contains(&self, set: &TypeSet, object: TypeId) -> bool {
        self.objects.contains(set, object)
    }

    /// Whether any field takes context values.
    #[must_use]
    pub fn has_contexts(&self) -> bool {
        !self.context_types.is_empty()
    }

    /// Whether objects of a type may set a context.
    #[must_use]
    pub fn is_context(&self, object: TypeId) -> bool {
        self.context_types.iter().any(|r#type| self.contains(self.possible(*r#type), object))
    }

    /// Whether a field set has a selection set below fields with this name.
    #[must_use]
    pub fn has_nested_field_set(&self, name: &str) -> bool {
        self.nested.contains(name)
    }

    /// Returns the interfaces that an object or interface type implements.
    #[must_use]
    pub fn interfaces(&self, id: TypeId) -> &[TypeId] {
        match &self.schema[id].kind {
            TypeKind::Object { interfaces, .. } | TypeKind::Interface { interfaces, .. } => {
                interfaces
            }
            TypeKind::Scalar
            | TypeKind::Union { .. }
            | TypeKind::Enum { .. }
            | TypeKind::InputObject { .. } => &[],
        }
    }

    /// Whether some subgraph has an interface of the object type as an interface object.
    #[must_use]
    pub fn is_known_as_interface_object(&self, object: TypeId) -> bool {
        let owners = self.interfaces(object).iter().map(|interface| self.type_owners(*interface));
        let mut known = owners.flat_map(|owners| &owners.subgraphs);
        known.any(|known| known.is_interface_object)
    }

    /// Returns the fields of an object or interface type.
    #[must_use]
    pub fn fields(&self, id: TypeId) -> &[FieldId] {
        match &self.schema[id].kind {
            TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => fields,
            TypeKind::Scalar
            | TypeKind::Union { .. }
            | TypeKind::Enum { .. }
            | TypeKind::InputObject { .. } => &[],
        }
    }

    #[must_use]
    pub fn is_object(&self, id: TypeId) -> bool {
        matches!(self.schema[id].kind, TypeKind::Object { .. })
    }

    /// Returns a field of a type by name.
    #[must_use]
    pub fn find_field(&self, parent: TypeId, name: &str) -> Option<FieldId> {
        match self.many.get(&parent) {
            Some(fields) => fields.get(name).copied(),
            None => self.schema.find_field(parent, name),
        }
    }

    /// Whether values of a type have fields or members.
    #[must_use]
    pub fn is_composite(&self, id: TypeId) -> bool {
        matches!(
            self.schema[id].kind,
            TypeKind::Object { .. } | TypeKind::Interface { .. } | TypeKind::Union { .. }
        )
    }
}
