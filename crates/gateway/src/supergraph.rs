//! What a composed schema says: the types of all subgraphs, and which subgraph knows what of them.
//!
//! <https://specs.apollo.dev/join/v0.3/>. It is read once, when a supergraph is loaded; nothing of
//! its text is looked at afterwards.

mod api;
mod contexts;
mod directives;
mod field_sets;
mod join;
mod links;
mod objects;
mod read;
mod requirements;
mod weights;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use graphql::schema::{FieldId, Schema, TypeId, TypeKind, TypeRef};
use rustc_hash::{FxHashMap, FxHashSet};

pub use api::Api;
pub use contexts::{ContextArgument, ContextSource};
pub use field_sets::{FieldSet, FieldSetId, SetSelection};
use objects::Objects;
pub use objects::TypeSet;
pub use read::{Problem, read};
pub use requirements::{Alternatives, Requirement, RequirementId, Requirements};
pub use weights::{ListSize, SizedField, Weights};

/// The place of a subgraph among those of its supergraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubgraphId(pub u16);

graphql::heap_size!(plain SubgraphId);

/// One part of the supergraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subgraph {
    pub name: Arc<str>,
    /// Where it is asked; empty if the supergraph does not say it.
    pub url: Arc<str>,
}

/// A composed schema.
#[derive(Debug)]
pub struct Supergraph {
    pub subgraphs: Vec<Subgraph>,
    /// Every type and field that some subgraph has, also those that clients do not see.
    pub schema: Schema,
    /// By [`TypeId`].
    types: Vec<TypeOwners>,
    /// By [`FieldId`].
    fields: Vec<FieldOwners>,
    sets: Vec<FieldSet>,
    /// The names of fields of whose objects field sets say something.
    nested: FxHashSet<Arc<str>>,
    /// The types whose objects say something to fields below them.
    context_types: Vec<TypeId>,
    objects: Objects,
    /// The fields of types that have many.
    many: FxHashMap<TypeId, FxHashMap<Arc<str>, FieldId>>,
    /// What clients see.
    pub api: Api,
    /// Who may read what.
    pub requirements: Requirements,
    /// What it costs.
    pub weights: Weights,
}

/// Which subgraphs know a type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TypeOwners {
    /// In the order of the subgraphs.
    pub subgraphs: Vec<TypeIn>,
    /// Of an object or an interface: the interfaces that it implements, and where.
    pub implements: Vec<(SubgraphId, TypeId)>,
    /// Of a union: its members, and where.
    pub members: Vec<(SubgraphId, TypeId)>,
}

/// A type in one subgraph.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeIn {
    pub subgraph: SubgraphId,
    pub keys: Vec<Key>,
    /// The subgraph knows the interface as if it were an object.
    pub is_interface_object: bool,
}

/// What a subgraph finds a value of the type by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    pub fields: FieldSetId,
    /// Whether the subgraph answers for representations; otherwise it only gives the key.
    pub is_resolvable: bool,
}

/// Which subgraphs know a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldOwners {
    /// In the order of the subgraphs.
    pub subgraphs: Vec<FieldIn>,
}

/// A field in one subgraph.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldIn {
    pub subgraph: SubgraphId,
    /// What the subgraph says it is; it may be narrower than what the supergraph says.
    pub r#type: TypeRef,
    /// What a representation has to say for the subgraph to compute the field.
    pub requires: Option<FieldSetId>,
    /// What the subgraph gives below this field although it does not elsewhere.
    pub provides: Option<FieldSetId>,
    /// What the subgraph is told of the objects above.
    pub context: Vec<ContextArgument>,
    /// The subgraph names the field, and gives it only where something provides it.
    pub is_external: bool,
    /// For which requests the subgraph is asked for it.
    pub when: When,
}

/// For which requests a subgraph is asked for a field: `@override` with a label moves a field from
/// one subgraph to another request by request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    Always,
    /// Where the label is on.
    On(Arc<str>),
    /// Where the label is off.
    Off(Arc<str>),
}

impl Supergraph {
    #[must_use]
    pub fn subgraph(&self, id: SubgraphId) -> &Subgraph {
        &self.subgraphs[usize::from(id.0)]
    }

    /// Every subgraph.
    pub fn subgraph_ids(&self) -> impl Iterator<Item = SubgraphId> + use<> {
        // The reader lets no supergraph have more.
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

    /// The labels that fields are moved by, each once, in the order of their texts.
    #[must_use]
    pub fn labels(&self) -> Vec<Arc<str>> {
        let owners = self.fields.iter().flat_map(|owners| &owners.subgraphs);
        let labels = owners.filter_map(|owner| match &owner.when {
            When::On(label) | When::Off(label) => Some(Arc::clone(label)),
            When::Always => None,
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

    /// A type as one subgraph has it.
    #[must_use]
    pub fn type_in(&self, id: TypeId, subgraph: SubgraphId) -> Option<&TypeIn> {
        self.type_owners(id).subgraphs.iter().find(|owner| owner.subgraph == subgraph)
    }

    /// A field as one subgraph has it.
    #[must_use]
    pub fn field_in(&self, id: FieldId, subgraph: SubgraphId) -> Option<&FieldIn> {
        self.field_owners(id).subgraphs.iter().find(|owner| owner.subgraph == subgraph)
    }

    /// The unions that an object type is a member of, and where.
    pub(crate) fn unions_of(&self, object: TypeId) -> &[(TypeId, SubgraphId)] {
        self.objects.unions_of(object)
    }

    /// The object types that values of a type may have, whoever gives them.
    #[must_use]
    pub fn possible(&self, id: TypeId) -> &TypeSet {
        self.objects.possible(id)
    }

    /// The object types that values of a type may have where one subgraph gives them.
    #[must_use]
    pub fn possible_in(&self, id: TypeId, subgraph: SubgraphId) -> &TypeSet {
        self.objects.possible_in(id, subgraph)
    }

    /// The object types of a set, in the order of the schema.
    pub fn members<'s>(&'s self, set: &'s TypeSet) -> impl Iterator<Item = TypeId> + 's {
        self.objects.members(set)
    }

    /// The set that holds one object type.
    #[must_use]
    pub fn only(&self, object: TypeId) -> TypeSet {
        self.objects.only(object)
    }

    /// Whether an object type is in a set.
    #[must_use]
    pub fn contains(&self, set: &TypeSet, object: TypeId) -> bool {
        self.objects.contains(set, object)
    }

    /// Whether any field takes something from the objects above it.
    #[must_use]
    pub fn has_contexts(&self) -> bool {
        !self.context_types.is_empty()
    }

    /// Whether objects of a type may say something to fields below them.
    #[must_use]
    pub fn is_context(&self, object: TypeId) -> bool {
        self.context_types.iter().any(|r#type| self.contains(self.possible(*r#type), object))
    }

    /// Whether a field set says something of the objects of fields with a name.
    #[must_use]
    pub fn is_in_sets(&self, name: &str) -> bool {
        self.nested.contains(name)
    }

    /// The interfaces that an object or interface type implements.
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

    /// Whether some subgraph knows objects of a type only as objects of an interface.
    #[must_use]
    pub fn is_known_as_interface_object(&self, object: TypeId) -> bool {
        let owners = self.interfaces(object).iter().map(|interface| self.type_owners(*interface));
        let mut known = owners.flat_map(|owners| &owners.subgraphs);
        known.any(|known| known.is_interface_object)
    }

    #[must_use]
    pub fn is_object(&self, id: TypeId) -> bool {
        matches!(self.schema[id].kind, TypeKind::Object { .. })
    }

    /// A field of a type, by its name.
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
