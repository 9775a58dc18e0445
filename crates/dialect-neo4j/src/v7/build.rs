//! The API while it is made, which all parts of it read and add to.

use catalog::{EntityId, FieldId};
use ir::Hop;
use rustc_hash::FxHashMap;

use super::Options;
use crate::model::{FieldKind, Model, ModelField, Placed, PlacedField, RelationshipField, Target};
use crate::shared::draft::{Draft, DraftInput};
use crate::shared::naming::TypeNames;
use api::binding::{
    FilterRole, InputBinding, Meaning, VariantLink, VariantsId, WayBinding, WaysId,
};

/// What is made, and of what.
pub(super) struct Build<'a> {
    pub(super) model: &'a Model,
    pub(super) placed: &'a Placed,
    pub(super) options: Options,
    pub(super) draft: Draft,
    nodes: Vec<TypeNames>,
    interfaces: Vec<TypeNames>,
    unions: Vec<TypeNames>,
    /// Which fields lead to relationships with properties of a type, as its description lists them.
    pub(super) properties_of: FxHashMap<usize, Vec<String>>,
    /// Lists of node types, by their numbers.
    pub(super) variants: Vec<Vec<Variant<'a>>>,
    /// Lists of such along what interfaces declare.
    pub(super) declared: FxHashMap<Pending, VariantsId>,
    pub(super) pending: Vec<(VariantsId, Pending)>,
    /// Ways along which nodes are changed, by their numbers.
    pub(super) ways: Vec<Vec<Vec<WayBinding>>>,
    /// Which of them are those along a link to a type.
    pub(super) ways_of: FxHashMap<String, WaysId>,
}

/// One of the types, by its name: there are no ids yet.
#[derive(Clone, Debug)]
pub(super) struct Variant<'a> {
    pub(super) entity: EntityId,
    pub(super) hop: Option<Hop>,
    pub(super) r#type: &'a str,
    pub(super) properties: Option<&'a str>,
    pub(super) number: u16,
    pub(super) common: Vec<FieldId>,
    pub(super) links: Vec<VariantLink>,
}

/// Ways of a node type to nodes of several types, whose list of these is still to be made: each may
/// need others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pending {
    pub(super) node: usize,
    pub(super) field: usize,
    /// What the interface says that it leads to.
    pub(super) target: Target,
}

/// Whose fields they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
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
pub(super) fn relationship(field: &ModelField) -> Option<&RelationshipField> {
    match &field.kind {
        FieldKind::Relationship(relationship) => Some(relationship),
        FieldKind::Property(_) | FieldKind::Statement(_) | FieldKind::Part(_) => None,
    }
}

impl<'a> Build<'a> {
    pub(super) fn new(model: &'a Model, placed: &'a Placed, options: Options) -> Self {
        let nodes = model.nodes.iter();
        let interfaces = model.interfaces.iter();
        let unions = model.unions.iter();
        Self {
            model,
            placed,
            options,
            draft: Draft::default(),
            nodes: names(nodes.map(|known| (&*known.name, known.plural.as_deref()))),
            interfaces: names(interfaces.map(|known| (&*known.name, known.plural.as_deref()))),
            unions: names(unions.map(|known| (&*known.name, known.plural.as_deref()))),
            properties_of: FxHashMap::default(),
            variants: Vec::new(),
            declared: FxHashMap::default(),
            pending: Vec::new(),
            ways: Vec::new(),
            ways_of: FxHashMap::default(),
        }
    }

    /// The names of a type of nodes.
    pub(super) fn names(&self, target: Target) -> &TypeNames {
        match target {
            Target::Node(index) => &self.nodes[index],
            Target::Interface(index) => &self.interfaces[index],
            Target::Union(index) => &self.unions[index],
        }
    }

    /// The name of a type of nodes, as the definitions have it.
    pub(super) fn name(&self, target: Target) -> &'a str {
        let name = match target {
            Target::Node(index) => self.model.nodes.get(index).map(|known| &known.name),
            Target::Interface(index) => self.model.interfaces.get(index).map(|known| &known.name),
            Target::Union(index) => self.model.unions.get(index).map(|known| &known.name),
        };
        name.map_or("", |name| name)
    }

    /// The node types that implement an interface.
    pub(super) fn implementations(&self, interface: usize) -> &'a [usize] {
        let known = self.model.interfaces.get(interface);
        known.map_or(&[], |known| known.implementations.as_slice())
    }

    /// The members of a union.
    pub(super) fn members(&self, union: usize) -> &'a [usize] {
        self.model.unions.get(union).map_or(&[], |known| known.members.as_slice())
    }

    pub(super) fn fields(&self, owner: Owner) -> &'a [ModelField] {
        match owner {
            Owner::Node(index) => {
                self.model.nodes.get(index).map_or(&[], |known| known.fields.as_slice())
            }
            Owner::Interface(index) => {
                self.model.interfaces.get(index).map_or(&[], |known| known.fields.as_slice())
            }
        }
    }

    pub(super) fn placed_field(&self, owner: Owner, field: usize) -> Option<&'a PlacedField> {
        match owner {
            Owner::Node(index) => self.placed.nodes.get(index)?.fields.get(field),
            Owner::Interface(_) => None,
        }
    }

    /// Adds `AND`, `OR` and `NOT` of conditions, in the order of `names`.
    pub(super) fn add_logic(&mut self, parent: &str, names: [&str; 3]) {
        for name in names {
            let (r#type, role) = match name {
                "AND" => (format!("[{parent}!]"), FilterRole::And { item: Meaning::Ignore }),
                "OR" => (format!("[{parent}!]"), FilterRole::Or { item: Meaning::Ignore }),
                _ => (parent.into(), FilterRole::Negated(Box::new(FilterRole::Conditions))),
            };
            let input = DraftInput::new(name, &r#type, InputBinding::lenient(role));
            self.draft.add_input(parent, input);
        }
    }
}

fn names<'n>(types: impl Iterator<Item = (&'n str, Option<&'n str>)>) -> Vec<TypeNames> {
    types.map(|(name, plural)| TypeNames::new(name, plural)).collect()
}
