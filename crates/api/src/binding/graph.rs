//! Bindings of a graph's API.

use catalog::{EntityId, FieldId};
use graphql::schema::TypeId;
use ir::{Hop, Otherwise};

/// A relationship for nested writes of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NestedRelationship {
    pub hop: Hop,
    /// The entity of the nodes at the other end.
    pub entity: EntityId,
    /// The entity of its own properties.
    pub edge: Option<EntityId>,
}

/// The index of a relationship with several entities at an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationshipVariantsId(pub u32);

/// A relationship between nodes of two entities, where several are at an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationshipVariant {
    /// The entity of the nodes at the other end.
    pub entity: EntityId,
    /// The entity of its own properties.
    pub edge: Option<EntityId>,
    /// The hop for reads.
    pub hop: Hop,
    /// The hop for writes.
    pub written: Hop,
    /// The index of the entity in the interface.
    pub number: u16,
    /// Its fields for the common ones, as in [`VariantBinding::common`].
    pub common: Vec<FieldId>,
    /// Relationships of its rows, as in [`VariantBinding::links`].
    pub links: Vec<VariantLink>,
    /// The error for more than one node, if it is a to-one relationship.
    pub single: Option<Box<str>>,
}

/// The meaning of an input in a change of nodes of several entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultiEntityRole {
    /// As [`WriteRole::NestedWrite`](super::WriteRole::NestedWrite), where several entities are at
    /// an end of the relationship.
    NestedWrite {
        relationships: RelationshipVariantsId,
        verb: NestedWriteVerb,
        /// As in [`WriteRole::NestedWrite`](super::WriteRole::NestedWrite).
        rank: i8,
    },
    /// As [`WriteRole::NestedWrites`](super::WriteRole::NestedWrites), for the same.
    Among { relationships: RelationshipVariantsId },
    /// As [`WriteRole::Inputs`](super::WriteRole::Inputs) of a to-one relationship: at most one
    /// entity is named.
    One,
    /// Input for relationships with properties of this entity, of several.
    Edge(EntityId),
    /// As [`WriteRole::Assign`](super::WriteRole::Assign), for a common field, by its index.
    Assign { place: u16, verb: AssignVerb },
    /// As [`WriteRole::Assigns`](super::WriteRole::Assigns), for the same.
    Assigns { place: u16, is_required: bool },
}

impl RelationshipVariant {
    /// The relationship of a nested write.
    #[must_use]
    pub fn nested(&self, verb: NestedWriteVerb) -> NestedRelationship {
        let hop = match verb {
            NestedWriteVerb::Create
            | NestedWriteVerb::Connect
            | NestedWriteVerb::ConnectOnce
            | NestedWriteVerb::ConnectOrCreate => self.written,
            NestedWriteVerb::Disconnect | NestedWriteVerb::Update | NestedWriteVerb::Delete => {
                self.hop
            }
        };
        NestedRelationship { hop, entity: self.entity, edge: self.edge }
    }
}

/// Verbs of nested writes along a relationship.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NestedWriteVerb {
    /// Creates nodes and connects them.
    Create,
    /// Connects existing nodes, once more if they are connected already.
    Connect,
    /// Connects existing nodes: an existing relationship gets the values, if
    /// [`WriteRole::Overwrite`](super::WriteRole::Overwrite) permits it.
    ConnectOnce,
    /// Connects the node with the values of [`WriteRole::NestedKey`](super::WriteRole::NestedKey),
    /// and creates it if it does not exist.
    ConnectOrCreate,
    /// Deletes relationships.
    Disconnect,
    /// Updates related nodes and their relationships.
    Update,
    /// Deletes related nodes.
    Delete,
}

/// Rules of an entity's nodes after a change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeRules {
    pub links: Vec<LinkRule>,
    /// True if generated values are set only by changes that set other values.
    pub is_made_with_values: bool,
    /// The entity's name in errors.
    pub name: Box<str>,
    /// The error for both setting and computing a value in one change, before the name of the
    /// setting input; without it, the error for setting it twice.
    pub set_twice: Option<Box<str>>,
}

/// A to-one relationship of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkRule {
    pub hop: Hop,
    /// The entity of the node.
    pub entity: EntityId,
    /// True if it is required.
    pub is_required: bool,
    /// The error of a violation.
    pub otherwise: Otherwise,
}

/// Verbs of assignments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignVerb {
    Set,
    Add,
    /// Adds to an integer: a sum beyond the type of the field is an error in every source.
    AddWithin,
    Subtract,
    Multiply,
    Divide,
    /// Appends elements to a list.
    Push,
    /// Removes so many elements from the end of a list.
    Pop,
    /// Of JSON: merges another object into it, or appends to a list.
    Merge,
    /// Of JSON: merges it into another object, or prepends to a list.
    Prepend,
    /// Of JSON: removes a key of an object, or texts of a list.
    DeleteKey,
    /// Removes an element of a JSON list by its index.
    DeleteElement,
    /// Removes the value at the end of a path, a list of keys and indexes.
    DeletePath,
}

/// The index of a list of entities whose rows form one list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariantsId(pub u32);

/// One of several entities whose rows form one list.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantBinding {
    pub entity: EntityId,
    /// The hop to its rows, if they are related rows.
    pub hop: Option<Hop>,
    /// Many-to-many: the hop to the joining rows, from which `hop` leads.
    pub through: Option<Hop>,
    /// The type of its rows.
    pub r#type: TypeId,
    /// The type of the properties of the relationship to its rows.
    pub properties: Option<TypeId>,
    /// Its index in the interface or the union.
    pub number: u16,
    /// Its fields for the common ones: [`ValueRef::Common`](ir::ValueRef::Common) names them by index.
    pub common: Vec<FieldId>,
    /// Its relationships for the common ones: [`DeclaredRole`](super::DeclaredRole)s name them by
    /// index.
    pub links: Vec<VariantLink>,
}

/// A relationship of one of several entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariantLink {
    One(Hop),
    /// To rows that joining rows lead to.
    Through {
        near: Hop,
        far: Hop,
    },
    /// To rows of several entities.
    Several(VariantsId),
}

/// Forms of cursors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cursors {
    /// The names of an order, and the values by which it orders.
    #[default]
    Values,
    /// The index of the row in its list, as `graphql-relay` writes it: lists promise no order but
    /// the requested one.
    Offsets,
    /// An object with a member for each value of the order.
    Members,
    /// The key of the row, which is the first field of the tie-break, as a text.
    Keys,
}

/// Errors of pages of [`Cursors::Keys`].
pub mod key_cursors {
    pub const FIRST_AND_LAST: &str = "Including a value for both first and last is not supported. \
         See the spec for a discussion of why \
         https://facebook.github.io/relay/graphql/connections.htm#sec-Pagination-algorithm";
}

/// Errors of pages of [`Cursors::Members`].
pub mod member_cursors {
    pub const FIRST_AND_LAST: &str = "\"first\" and \"last\" are not allowed at once";
    pub const AFTER_AND_BEFORE: &str = "\"after\" and \"before\" are not allowed at once";
    pub const INVALID: &str = "the \"after\" or \"before\" cursor is invalid";
}

/// The beginning of errors of [`IdForm::Versioned`](super::IdForm::Versioned).
pub const INVALID_NODE_ID: &str = "invalid node id: ";
