//! What positions mean in the API of a graph.

use catalog::{EntityId, FieldId};
use graphql::schema::TypeId;
use ir::{Hop, Otherwise};

/// A relationship of a graph by which nodes are changed together with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    pub hop: Hop,
    /// The entity of the nodes on the other side.
    pub entity: EntityId,
    /// The entity of its own properties.
    pub edge: Option<EntityId>,
}

/// The number of the ways along a relationship of which nodes of several entities are at an end,
/// among all of an API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WaysId(pub u32);

/// The way from nodes of one entity to those of another, where there are several at an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayBinding {
    /// The entity of the nodes on the other side.
    pub entity: EntityId,
    /// The entity of its own properties.
    pub edge: Option<EntityId>,
    /// How relationships are found.
    pub hop: Hop,
    /// How they are made.
    pub written: Hop,
    /// The place of the entity among all types of the interface.
    pub number: u16,
    /// Its fields for those that all of them have, as in [`VariantBinding::common`].
    pub common: Vec<FieldId>,
    /// What leads from its rows to others, as in [`VariantBinding::links`].
    pub links: Vec<VariantLink>,
    /// What is said where more than one node would be there, if the relationship leads to one.
    pub single: Option<Box<str>>,
}

/// What a value means in a change of nodes of which some may be of one of several entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeveralRole {
    /// As [`WriteRole::NestedWrite`](super::WriteRole::NestedWrite), where nodes of several entities are at
    /// an end of the relationship.
    NestedWrite {
        ways: WaysId,
        verb: NestedWriteVerb,
        /// As in [`WriteRole::NestedWrite`](super::WriteRole::NestedWrite).
        rank: i8,
    },
    /// As [`WriteRole::NestedWrites`](super::WriteRole::NestedWrites), for the same.
    Among { ways: WaysId },
    /// As [`WriteRole::Inputs`](super::WriteRole::Inputs), where one node is on the other side: one
    /// entity at most is named.
    One,
    /// Of relationships whose properties are of several entities what is said of those of this one.
    Edge(EntityId),
    /// As [`WriteRole::Assign`](super::WriteRole::Assign), for a field that all of them have, by its
    /// place.
    Assign { place: u16, verb: AssignVerb },
    /// As [`WriteRole::Assigns`](super::WriteRole::Assigns), for the same.
    Assigns { place: u16, is_required: bool },
}

impl WayBinding {
    /// The way along which something is done.
    #[must_use]
    pub fn way(&self, verb: NestedWriteVerb) -> Way {
        let hop = match verb {
            NestedWriteVerb::Create
            | NestedWriteVerb::Connect
            | NestedWriteVerb::ConnectOnce
            | NestedWriteVerb::ConnectOrCreate => self.written,
            NestedWriteVerb::Disconnect | NestedWriteVerb::Update | NestedWriteVerb::Delete => {
                self.hop
            }
        };
        Way { hop, entity: self.entity, edge: self.edge }
    }
}

/// What is done along a relationship of nodes that are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NestedWriteVerb {
    /// Nodes are made and related.
    Create,
    /// Nodes that are there are related, once more if they are already.
    Connect,
    /// Nodes that are there are related: what is said of the relationship holds for the one that is
    /// there already, if [`WriteRole::Overwrite`](super::WriteRole::Overwrite) does not refuse it.
    ConnectOnce,
    /// The node with the values of [`WriteRole::NestedKey`](super::WriteRole::NestedKey) is related,
    /// and made if it is not there.
    ConnectOrCreate,
    /// Relationships go.
    Disconnect,
    /// Related nodes and their relationships are changed.
    Update,
    /// Related nodes go.
    Delete,
}

/// What holds for the nodes of an entity when they were changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeRules {
    pub links: Vec<LinkRule>,
    /// Whether what is made for a change is made only where the change says values.
    pub is_made_with_values: bool,
    /// What errors call the entity.
    pub name: Box<str>,
    /// What is said where a change sets a value and computes with it, before the name of what sets
    /// it; where it is nothing, what is said of two that set it.
    pub set_twice: Option<Box<str>>,
}

/// A relationship that leads from a node to one node at most.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkRule {
    pub hop: Hop,
    /// The entity of the node.
    pub entity: EntityId,
    /// Whether there must be one.
    pub is_required: bool,
    /// What is said otherwise.
    pub otherwise: Otherwise,
}

/// How a value is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignVerb {
    Set,
    Add,
    Subtract,
    Multiply,
    Divide,
    /// Elements are appended to a list.
    Push,
    /// So many elements of a list go, from its end.
    Pop,
}

/// The number of a list of entities whose rows stand together, among all of an API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariantsId(pub u32);

/// One of the entities whose rows stand together.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantBinding {
    pub entity: EntityId,
    /// The way to its rows, where they are related to a row.
    pub hop: Option<Hop>,
    /// The type of its rows.
    pub r#type: TypeId,
    /// The type of the properties of the relationship that leads to them.
    pub properties: Option<TypeId>,
    /// Its place among all types of the interface or the union.
    pub number: u16,
    /// Its fields for those that all of them have: [`Place::Common`] names them by their place.
    pub common: Vec<FieldId>,
    /// The same of what leads to other rows: [`DeclaredRole`](super::DeclaredRole)s name them by their place.
    pub links: Vec<VariantLink>,
}

/// What leads from the rows of one of several entities to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariantLink {
    One(Hop),
    /// To rows of several entities.
    Several(VariantsId),
}

/// What the cursors of an entity's rows are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cursors {
    /// The names of an order, and the values by which it orders.
    #[default]
    Values,
    /// The place of the row in its list, as `graphql-relay` writes it: lists promise no order but
    /// the one that is asked for.
    Offsets,
}
