//! Changes, and their inputs.

use std::sync::Arc;

use catalog::{EntityId, FieldId, FunctionId};
use ir::Counter;

use super::{AssignVerb, NestedWriteVerb, SeveralRole, Way};

/// What an input says of a change.
#[derive(Clone, Debug, PartialEq)]
pub enum WriteRole {
    /// An object of inputs.
    Inputs,
    /// A list of objects of [`WriteRole::Stored`] values, each of a row.
    Rows,
    /// The most rows that a change may reach. It steers.
    AtMost,
    /// The value that a change stores in a field; null is one, too.
    Stored(FieldId),
    /// A text of the client that it gets back with the payload.
    ClientMutationId,
    /// An object of [`WriteRole::NestedIn`] inputs: the rows that the row is connected with.
    Nested(Box<NestedBinding>),
    /// Of [`WriteRole::Nested`] one verb: with objects of [`FilterRole::Equal`](super::FilterRole)
    /// and [`ArgumentRole::NodeId`](super::ArgumentRole), or of new rows. Where at most one row can
    /// be disconnected, it is a boolean, which steers.
    NestedIn(NestedVerb),
    /// Of a change of nodes the nodes that a relationship leads to: an object, or a list of such,
    /// of [`WriteRole::NestedWrite`] inputs without a way.
    NestedWrites(Way),
    /// A verb along a relationship: an object, or a list of such, of [`WriteRole::NestedNode`],
    /// [`WriteRole::NestedEdge`], [`FilterRole::Conditions`](super::FilterRole) and
    /// [`WriteRole::FurtherWrites`]. Without a way it is that of the enclosing [`WriteRole::NestedWrites`].
    NestedWrite {
        way: Option<Way>,
        verb: NestedWriteVerb,
        /// The order among the nested writes of one object, lowest first. An argument whose writes
        /// have a rank below zero is applied before the other arguments of its field.
        rank: i8,
    },
    /// Of a change of nodes of which some may be of one of several entities.
    Several(SeveralRole),
    /// The node on the other side: an object of the values that are stored in it, or of changes.
    NestedNode,
    /// The same of the relationship.
    NestedEdge,
    /// An object of the values that tell the node on the other side from all others.
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
}

/// A change, and what it gives.
#[derive(Clone, Debug, PartialEq)]
pub struct MutationBinding {
    pub change: Change,
    /// The entity of the rows that come back; `None`: none come back.
    pub returned: Option<EntityId>,
    pub form: MutationForm,
    /// What is said where there is no row to change; `None`: nothing is, it is no error.
    pub missing: Option<Box<str>>,
    /// What an update says that sets nothing; `None`: the field is null, and nothing is done.
    pub unchanged: Option<Box<str>>,
}

/// What is changed. Which rows, and to what, its inputs say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// One row is made of the inputs' [`WriteRole::Stored`] values.
    Create(EntityId),
    /// The rows that the inputs' [`FilterRole::Equal`]s or [`ArgumentRole::NodeId`] find get the
    /// [`WriteRole::Stored`] values.
    Update(EntityId),
    /// The rows that are found so go.
    Delete(EntityId),
    /// One row is made so, or the row that agrees with it in the key gets its values, but for
    /// those of the fields in `kept`.
    Upsert { entity: EntityId, key: Box<[FieldId]>, kept: Box<[FieldId]> },
    /// Rows are made, one of each object of [`WriteRole::Rows`]; `most` at once.
    CreateMany { entity: EntityId, most: u32 },
    /// All rows that [`FilterRole::Conditions`]s let through get the [`WriteRole::Stored`] values, as
    /// many as [`WriteRole::AtMost`] says, and that is `most` at most.
    UpdateMany { entity: EntityId, most: u32 },
    /// All rows that are let through so go.
    DeleteMany { entity: EntityId, most: u32 },
    /// A function is called with the inputs' [`ArgumentRole::Call`]s.
    Call(FunctionId),
    /// One row is made or changed, together with the rows that [`WriteRole::Nested`] inputs connect
    /// it with.
    Nested(NestedChange),
    /// A change of nodes of a graph, and of what they are related to: nodes are made, one of each
    /// object of [`WriteRole::Rows`].
    CreateNodes(EntityId),
    /// The nodes that [`FilterRole::Conditions`]s let through are changed, all of them without any.
    UpdateNodes(EntityId),
    /// They go, with their relationships.
    DeleteNodes(EntityId),
}

/// A row that is made or changed together with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestedChange {
    pub entity: EntityId,
    /// Its primary key, by which it is read when all is done.
    pub key: Box<[FieldId]>,
    /// Whether it is a new row. Otherwise it is found as in [`Change::Update`].
    pub is_new: bool,
    /// How many rows may be said in all.
    pub most: u32,
}

/// What leads from a row to those that it is connected with by a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestedBinding {
    /// The entity of the rows on the other side.
    pub entity: EntityId,
    pub way: NestedWay,
    /// Whether at most one row can be on the other side: its inputs are objects, not lists of such.
    pub is_single: bool,
    /// The keys by which a row of the other side can be said, beside its opaque id.
    pub keys: Arc<[Box<[FieldId]>]>,
}

/// How rows are connected. Fields stand in pairs: that of the row, and that of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NestedWay {
    /// The row refers to the other one.
    Forward {
        fields: Box<[(FieldId, FieldId)]>,
        /// The fields of the row that are null where it refers to none.
        cleared: Box<[FieldId]>,
    },
    /// Other rows refer to the row.
    Backward {
        fields: Box<[(FieldId, FieldId)]>,
        /// The fields of another row that are null where it refers to none.
        cleared: Box<[FieldId]>,
    },
    /// Rows of a third entity refer to both.
    Joined {
        joining: EntityId,
        /// Of which there is one for the two rows.
        key: Box<[FieldId]>,
        /// The field of the row, and the one of the joining row that refers to it.
        near: Box<[(FieldId, FieldId)]>,
        /// The field of the joining row that refers to the other row, and that row's.
        far: Box<[(FieldId, FieldId)]>,
    },
}

/// What is done with rows on the other side, in the order in which it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NestedVerb {
    /// Rows that are connected are so no longer.
    Disconnect,
    /// Those that are given are connected, and no others.
    Set,
    /// Rows that are there are connected.
    Connect,
    /// Rows are made and connected.
    Create,
}

/// In which form a change gives what comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MutationForm {
    /// An object of [`PayloadField`]s, which is there whether or not a row came back.
    Payload,
    /// The row itself, or null.
    Row,
}

/// What a field of what a change gives shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadField {
    /// The text of [`WriteRole::ClientMutationId`] as it came.
    ClientMutationId,
    /// The root object of queries.
    Query,
    /// The row, or the value of a function.
    Row,
    /// All rows that were changed, or all rows or values that a function gave.
    Rows,
    /// How many rows that are.
    Length,
    /// The row with its position in the order of the field's arguments.
    Edge,
    /// An object of [`PayloadField::Counter`]s.
    Counters,
    /// How much was changed in all.
    Counter(Counter),
}
