//! Changes, and their inputs.

use std::sync::Arc;

use catalog::{EntityId, FieldId, FunctionId};
use ir::{Counter, Hop};

use super::{
    AssignVerb, ChangedTypes, MultiEntityRole, NestedRelationship, NestedWriteVerb, ObjectBinding,
    ObjectRole, RelatedChange, RelatedRole,
};

/// The meaning of an input of a change.
#[derive(Clone, Debug, PartialEq)]
pub enum WriteRole {
    /// An object of inputs.
    Inputs,
    /// A list of objects of [`WriteRole::Stored`] values, each of a row.
    Rows,
    /// The limit of changed rows. It steers.
    AtMost,
    /// The value that a change stores in a field; null is one, too.
    Stored(FieldId),
    /// A text of the client that is returned in the payload.
    ClientMutationId,
    /// An object of [`WriteRole::NestedIn`] inputs: rows to connect with the row.
    Nested(Box<NestedBinding>),
    /// One verb of [`WriteRole::Nested`]: with objects of [`FilterRole::Equal`](super::FilterRole)
    /// and [`ArgumentRole::NodeId`](super::ArgumentRole), or of new rows. Where at most one row can
    /// be disconnected, it is a boolean, which steers.
    NestedIn(NestedVerb),
    /// Nested writes of related nodes: an object, or a list of such, of [`WriteRole::NestedWrite`]
    /// inputs without a relationship.
    NestedWrites(NestedRelationship),
    /// A verb along a relationship: an object, or a list of such, of [`WriteRole::NestedNode`],
    /// [`WriteRole::NestedEdge`], [`FilterRole::Conditions`](super::FilterRole) and
    /// [`WriteRole::FurtherWrites`]. Without a relationship it is that of the enclosing
    /// [`WriteRole::NestedWrites`].
    NestedWrite {
        relationship: Option<NestedRelationship>,
        verb: NestedWriteVerb,
        /// The order among the nested writes of one object, lowest first. An argument whose writes
        /// have a rank below zero is applied before the other arguments of its field.
        rank: i8,
    },
    /// Of a change of nodes of several entities.
    Several(MultiEntityRole),
    /// The node at the other end: an object of its new values, or of changes.
    NestedNode,
    /// The same of the relationship.
    NestedEdge,
    /// An object of the key of the node at the other end.
    NestedKey,
    /// A boolean that steers: the relationship may exist already. `otherwise` is the error if not.
    Overwrite {
        otherwise: Box<str>,
    },
    /// An object, or a list of such, of changes along further relationships.
    FurtherWrites,
    /// The new value of a field.
    Assign {
        field: FieldId,
        verb: AssignVerb,
    },
    /// An object of [`WriteRole::AssignBy`]s for a field.
    Assigns {
        field: FieldId,
        is_required: bool,
    },
    AssignBy(AssignVerb),
    /// Of a change of objects.
    Object(ObjectRole),
    /// Of new rows with the rows that are related to them.
    Tree(TreeRole),
    /// A list of objects of the inputs of [`Change::UpdateAll`], applied one after the other.
    Updates,
    /// Of a change of rows with those of their relations.
    Related(RelatedRole),
}

/// The meaning of an input of new rows with related ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeRole {
    /// An object, or a list of such, of the [`WriteRole::Stored`] values of a new row and of
    /// [`TreeRole::Related`].
    Rows,
    /// An object of [`TreeRole::Data`] and [`TreeRole::OnConflict`]: new rows that are related to the
    /// row.
    Related(Arc<TreeRelation>),
    /// New rows of a relationship, or one: like [`TreeRole::Rows`].
    Data,
    /// An object of [`TreeRole::ConflictKey`], [`TreeRole::ConflictColumns`] and
    /// [`FilterRole::Conditions`](super::FilterRole): a new row that equals an existing one in the key
    /// updates these columns of it, if it passes.
    OnConflict,
    /// An enum value, bound by [`ValueBinding::Key`](super::ValueBinding::Key).
    ConflictKey,
    /// A list of enum values, bound by [`ValueBinding::Column`](super::ValueBinding::Column).
    ConflictColumns,
}

/// A relationship to new rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeRelation {
    pub hop: Hop,
    /// The entity of the rows at the other end.
    pub entity: EntityId,
    /// The fields that the relationship sets: of the row if it refers to the other one, and of the
    /// others if these refer to it.
    pub fields: Box<[FieldId]>,
}

/// A change, and its result.
#[derive(Clone, Debug, PartialEq)]
pub struct MutationBinding {
    pub change: Change,
    /// The entity of the returned rows; `None`: none are returned.
    pub returned: Option<EntityId>,
    pub form: MutationForm,
    /// The error if there is no row to change; `None`: it is no error.
    pub missing: Option<Box<str>>,
    /// The error of an update that sets nothing; `None`: the field is null, and nothing is
    /// executed, or, of [`Change::UpdateAll`] and [`Change::UpdateEach`], no row is changed.
    pub unchanged: Option<Box<str>>,
}

/// Kinds of changes. The inputs give the rows and the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Inserts one row with the inputs' [`WriteRole::Stored`] values.
    Create(EntityId),
    /// Updates the rows that the inputs' [`FilterRole::Equal`](super::FilterRole)s or
    /// [`ArgumentRole::NodeId`](super::ArgumentRole) find, with the [`WriteRole::Stored`] values.
    Update(EntityId),
    /// Deletes the rows that are found so.
    Delete(EntityId),
    /// Upsert: inserts one row, or updates the row with the same key, except for the fields in
    /// `kept`.
    Upsert { entity: EntityId, key: Box<[FieldId]>, kept: Box<[FieldId]> },
    /// Inserts rows, one for each object of [`WriteRole::Rows`]; at most `most` at once.
    CreateMany { entity: EntityId, most: u32 },
    /// Updates all rows that pass the [`FilterRole::Conditions`](super::FilterRole) with the
    /// [`WriteRole::Stored`] values, limited by [`WriteRole::AtMost`], and by `most`.
    UpdateMany { entity: EntityId, most: u32 },
    /// Deletes all rows that pass so.
    DeleteMany { entity: EntityId, most: u32 },
    /// Calls a function with the inputs' [`ArgumentRole::Call`](super::ArgumentRole)s.
    Call(FunctionId),
    /// Inserts or updates one row, together with the rows of [`WriteRole::Nested`] inputs.
    Nested(NestedChange),
    /// Creates nodes of a graph, one for each object of [`WriteRole::Rows`], with nested writes.
    CreateNodes(EntityId),
    /// Updates the nodes that pass the [`FilterRole::Conditions`](super::FilterRole), or all of
    /// them without conditions, with nested writes.
    UpdateNodes(EntityId),
    /// Deletes nodes with their relationships.
    DeleteNodes(EntityId),
    /// Inserts the rows of [`TreeRole::Rows`] with those that are related to them.
    InsertTree(EntityId),
    /// Updates all rows that pass the [`FilterRole::Conditions`](super::FilterRole) or
    /// [`FilterRole::Equal`](super::FilterRole)s, by [`WriteRole::Assign`]s.
    UpdateAll(EntityId),
    /// Updates rows for each object of [`WriteRole::Updates`]: the result is a list.
    UpdateEach(EntityId),
    /// Deletes all rows that pass so.
    DeleteAll(EntityId),
    /// Adds the objects of [`ObjectRole::Added`], with those to which they refer.
    AddObjects(Arc<ObjectBinding>),
    /// Updates the objects that pass the [`FilterRole::Conditions`](super::FilterRole) by
    /// [`ObjectRole::Set`] and [`ObjectRole::Remove`].
    UpdateObjects(ChangedTypes),
    /// Deletes the objects that pass.
    DeleteObjects(ChangedTypes),
    /// Changes rows with those of their relations.
    Related(RelatedChange),
}

/// A row that is inserted or updated with nested writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestedChange {
    pub entity: EntityId,
    /// Its primary key, by which it is read at the end.
    pub key: Box<[FieldId]>,
    /// True if it is a new row. Otherwise it is found as in [`Change::Update`].
    pub is_new: bool,
    /// The limit of rows in all.
    pub most: u32,
}

/// A relationship for nested writes of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestedBinding {
    /// The entity of the rows at the other end.
    pub entity: EntityId,
    pub reference: NestedReference,
    /// True if at most one row can be at the other end: its inputs are objects, not lists of such.
    pub is_single: bool,
    /// The keys that find a row at the other end, beside its opaque id.
    pub keys: Arc<[Box<[FieldId]>]>,
}

/// Directions of connections. Fields are pairs: that of the row, and that of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NestedReference {
    /// The row refers to the other one.
    Forward {
        fields: Box<[(FieldId, FieldId)]>,
        /// The fields of the row that are set to null to disconnect it.
        cleared: Box<[FieldId]>,
    },
    /// Other rows refer to the row.
    Backward {
        fields: Box<[(FieldId, FieldId)]>,
        /// The fields of another row that are set to null to disconnect it.
        cleared: Box<[FieldId]>,
    },
    /// Rows of a third entity refer to both.
    Joined {
        joining: EntityId,
        /// The key that is unique for the two rows.
        key: Box<[FieldId]>,
        /// The field of the row, and the one of the join row that refers to it.
        near: Box<[(FieldId, FieldId)]>,
        /// The field of the join row that refers to the other row, and that row's.
        far: Box<[(FieldId, FieldId)]>,
    },
}

/// Verbs of nested writes of rows, in order of execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NestedVerb {
    /// Disconnects rows.
    Disconnect,
    /// Connects the given rows, and disconnects all others.
    Set,
    /// Connects existing rows.
    Connect,
    /// Inserts rows and connects them.
    Create,
}

/// Forms of a change's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MutationForm {
    /// An object of [`PayloadField`]s, whether or not a row is returned.
    Payload,
    /// The row itself, or null.
    Row,
}

/// Fields of a change's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadField {
    /// The text of [`WriteRole::ClientMutationId`], unchanged.
    ClientMutationId,
    /// The root object of queries.
    Query,
    /// The row, or the value of a function.
    Row,
    /// All changed rows, or all rows or values of a function.
    Rows,
    /// The number of those rows.
    Length,
    /// The number of all rows that the change inserted, updated or deleted, related ones among them.
    AffectedRows,
    /// The row with its cursor in the order of the field's arguments.
    Edge,
    /// The number of objects that are added, updated or deleted.
    Objects,
    /// A text: whether there is such an object.
    Message { some: &'static str, none: &'static str },
    /// An object of [`PayloadField::Counter`]s.
    Counters,
    /// The number of all changes.
    Counter(Counter),
}
