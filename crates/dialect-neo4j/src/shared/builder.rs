//! Builder of the API of either version: the model, its ids in the catalog, and the types so far.
//!
//! The steps that make the types are free functions over `&mut Builder`, here and in the versions:
//! a version takes a step of `shared` or has its own one under the same name, and no method can be
//! called that belongs to the other version. Methods of the builder only look up names and fields,
//! and add fields to types.

use catalog::{EntityId, FieldId};
use ir::Hop;
use rustc_hash::FxHashMap;

use crate::model::{
    ApiVersion, FieldKind, Model, ModelField, Placed, PlacedField, Property, RelationshipField,
    Target,
};
use crate::shared::draft::{Draft, DraftField, DraftInput};
use crate::shared::naming::TypeNames;
use crate::shared::paths::PathsDraft;
use crate::shared::text_filters::TextFilter;
use crate::shared::values::{input_name, whole};
use crate::shared::version::Version;
use api::binding::{
    FieldBinding, FilterRole, InputBinding, InputRole, Meaning, RelationshipVariant,
    RelationshipVariantsId, VariantLink, VariantsId,
};

/// Description of the only field of an input type that would have none.
const EMPTY_INPUT: &str = "Appears because this input type would be empty otherwise because this \
     type is composed of just generated and/or relationship properties. See \
     https://neo4j.com/docs/graphql-manual/current/troubleshooting/faqs/";

/// Options of the API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether the inputs that version 7 calls deprecated are left out.
    pub exclude_deprecated: bool,
    /// Operators on texts beside those that are always there.
    pub filters: Vec<TextFilter>,
    /// Whether the lists and connections of version 7 require a limit.
    pub limit_required: bool,
    /// Whether version 7 has mutations.
    pub mutations: bool,
}

/// State of an API while it is built.
#[derive(Debug)]
pub(crate) struct Builder<'m> {
    pub(crate) model: &'m Model,
    pub(crate) placed: &'m Placed,
    pub(crate) version: Version,
    pub(crate) options: Options,
    pub(crate) draft: Draft,
    nodes: Vec<TypeNames>,
    interfaces: Vec<TypeNames>,
    unions: Vec<TypeNames>,
    /// Fields that lead to relationships with properties of a type, as its description lists them.
    pub(crate) properties_of: FxHashMap<usize, Vec<String>>,
    /// Lists of node types, by their numbers.
    pub(crate) variants: Vec<VariantList<'m>>,
    /// Lists along the relationships of node types that an interface declares, in version 7.
    pub(crate) declared: FxHashMap<Pending, VariantsId>,
    pub(crate) pending: Vec<(VariantsId, Pending)>,
    /// Lists that the relationships of node types lead to, in version 3.
    pub(crate) variants_by_field: FxHashMap<(usize, &'m str), VariantsId>,
    /// Paths along which nodes are changed, by their numbers.
    pub(crate) paths: Vec<Vec<Vec<RelationshipVariant>>>,
    /// Paths that are still to be found, in version 3.
    pub(crate) pending_paths: Vec<PathsDraft<'m>>,
    /// Numbers of the paths along a relationship to a type, in version 7.
    pub(crate) paths_of: FxHashMap<String, RelationshipVariantsId>,
}

/// Nodes of several types in one list.
#[derive(Clone, Debug)]
pub(crate) struct VariantList<'m> {
    pub(crate) target: Target,
    pub(crate) variants: Vec<Variant<'m>>,
}

/// One of the types of a list: there are no ids of types yet.
#[derive(Clone, Debug)]
pub(crate) struct Variant<'m> {
    pub(crate) node: usize,
    pub(crate) entity: EntityId,
    pub(crate) hop: Option<Hop>,
    pub(crate) properties: Option<&'m str>,
    pub(crate) number: u16,
    pub(crate) common: Vec<FieldId>,
    pub(crate) links: Vec<VariantLink>,
}

/// Relationship of a node type whose list of types is still to be made: each may need others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pending {
    pub(crate) node: usize,
    pub(crate) field: usize,
    /// The target that the interface declares.
    pub(crate) target: Target,
}

/// Type that has fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Node(usize),
    Interface(usize),
}

impl From<Owner> for Target {
    fn from(owner: Owner) -> Self {
        match owner {
            Owner::Node(index) => Self::Node(index),
            Owner::Interface(index) => Self::Interface(index),
        }
    }
}

/// The relationship of a field that is one.
pub(crate) fn relationship(field: &ModelField) -> Option<&RelationshipField> {
    match &field.kind {
        FieldKind::Relationship(relationship) => Some(relationship),
        FieldKind::Property(_) | FieldKind::Statement(_) | FieldKind::Part(_) => None,
    }
}

impl<'m> Builder<'m> {
    pub(crate) fn new(
        model: &'m Model,
        placed: &'m Placed,
        version: ApiVersion,
        options: Options,
    ) -> Self {
        let nodes = model.nodes.iter();
        let interfaces = model.interfaces.iter();
        let unions = model.unions.iter();
        Self {
            model,
            placed,
            version: Version::of(version),
            options,
            draft: Draft::default(),
            nodes: names(nodes.map(|known| (&*known.name, known.plural.as_deref()))),
            interfaces: names(interfaces.map(|known| (&*known.name, known.plural.as_deref()))),
            unions: names(unions.map(|known| (&*known.name, known.plural.as_deref()))),
            properties_of: FxHashMap::default(),
            variants: Vec::new(),
            declared: FxHashMap::default(),
            pending: Vec::new(),
            variants_by_field: FxHashMap::default(),
            paths: Vec::new(),
            pending_paths: Vec::new(),
            paths_of: FxHashMap::default(),
        }
    }

    /// The names of a type of nodes.
    pub(crate) fn names(&self, target: Target) -> &TypeNames {
        match target {
            Target::Node(index) => &self.nodes[index],
            Target::Interface(index) => &self.interfaces[index],
            Target::Union(index) => &self.unions[index],
        }
    }

    /// The name of a type of nodes in the definitions.
    pub(crate) fn name(&self, target: Target) -> &'m str {
        let name = match target {
            Target::Node(index) => self.model.nodes.get(index).map(|known| &known.name),
            Target::Interface(index) => self.model.interfaces.get(index).map(|known| &known.name),
            Target::Union(index) => self.model.unions.get(index).map(|known| &known.name),
        };
        name.map_or("", |name| name)
    }

    /// The node types that a target stands for, in the order of the paths to them.
    pub(crate) fn targets(&self, target: Target) -> Vec<usize> {
        match target {
            Target::Node(node) => vec![node],
            Target::Interface(interface) => self.implementations(interface).to_vec(),
            Target::Union(union) => self.members(union).to_vec(),
        }
    }

    /// The node types that a target stands for, in the order of lists.
    pub(crate) fn variant_types(&self, target: Target) -> Vec<usize> {
        let mut types = self.targets(target);
        if self.version.sorts_types {
            types.sort_unstable();
        }
        types
    }

    /// The entity of the properties of a relationship.
    pub(crate) fn edge_entity(&self, relationship: &RelationshipField) -> Option<EntityId> {
        let edge = relationship.properties.and_then(|edge| self.placed.properties.get(edge));
        edge.map(|(edge, _)| *edge)
    }

    /// The node types that implement an interface.
    pub(crate) fn implementations(&self, interface: usize) -> &'m [usize] {
        let known = self.model.interfaces.get(interface);
        known.map_or(&[], |known| known.implementations.as_slice())
    }

    /// The members of a union.
    pub(crate) fn members(&self, union: usize) -> &'m [usize] {
        self.model.unions.get(union).map_or(&[], |known| known.members.as_slice())
    }

    pub(crate) fn fields(&self, owner: Owner) -> &'m [ModelField] {
        match owner {
            Owner::Node(index) => {
                self.model.nodes.get(index).map_or(&[], |known| known.fields.as_slice())
            }
            Owner::Interface(index) => {
                self.model.interfaces.get(index).map_or(&[], |known| known.fields.as_slice())
            }
        }
    }

    pub(crate) fn placed_field(&self, owner: Owner, field: usize) -> Option<&'m PlacedField> {
        match owner {
            Owner::Node(index) => self.placed.nodes.get(index)?.fields.get(field),
            Owner::Interface(_) => None,
        }
    }

    /// The type of the whole value of a property in a request, which may be null.
    pub(crate) fn given(&self, property: &Property) -> String {
        whole(input_name(self.model, &property.r#type), property)
    }

    /// Adds a field to an input type.
    pub(crate) fn put(&mut self, parent: &str, name: &str, r#type: &str, binding: InputBinding) {
        self.draft.add_input(parent, DraftInput::new(name, r#type, binding));
    }

    /// Adds a field to an input type, for which absent, null and empty mean the same.
    pub(crate) fn put_lenient(
        &mut self,
        parent: &str,
        name: &str,
        r#type: &str,
        role: impl Into<InputRole>,
    ) {
        self.put(parent, name, r#type, InputBinding::lenient(role));
    }

    /// Adds a field to an input type that is deprecated where there is a reason.
    pub(crate) fn put_for(
        &mut self,
        parent: &str,
        name: &str,
        r#type: &str,
        binding: InputBinding,
        reason: Option<&str>,
    ) {
        let mut input = DraftInput::new(name, r#type, binding);
        input.deprecated = reason.map(Into::into);
        self.draft.add_input(parent, input);
    }

    /// Adds a field without arguments to an object type or an interface.
    pub(crate) fn show(&mut self, parent: &str, name: &str, r#type: &str, binding: FieldBinding) {
        self.draft.add_field(parent, DraftField::new(name, r#type, binding));
    }

    /// Adds the field of empty inputs to an input type that has no other. `role` is one that the
    /// position of the type reads.
    pub(crate) fn fill(&mut self, parent: &str, role: impl Into<InputRole>) {
        self.draft.input(parent);
        if self.draft.inputs_of(parent).is_empty() {
            let input = DraftInput::lenient("_emptyInput", "Boolean", role).described(EMPTY_INPUT);
            self.draft.add_input(parent, input);
        }
    }

    /// Adds `AND`, `OR` and `NOT` to conditions, in the order of `names`.
    pub(crate) fn put_logic(&mut self, parent: &str, names: [&str; 3]) {
        let listed = format!("[{parent}!]");
        for name in names {
            match name {
                "AND" => {
                    self.put_lenient(
                        parent,
                        name,
                        &listed,
                        FilterRole::And { item: Meaning::Ignore },
                    );
                }
                "OR" => {
                    self.put_lenient(
                        parent,
                        name,
                        &listed,
                        FilterRole::Or { item: Meaning::Ignore },
                    );
                }
                _ => {
                    let role = FilterRole::Negated(Box::new(FilterRole::Conditions));
                    self.put_lenient(parent, name, parent, role);
                }
            }
        }
    }
}

fn names<'n>(types: impl Iterator<Item = (&'n str, Option<&'n str>)>) -> Vec<TypeNames> {
    types.map(|(name, plural)| TypeNames::new(name, plural)).collect()
}
