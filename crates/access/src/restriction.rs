//! Restrictions: rules that close what is open.
//!
//! A target without a restriction is open to every session. Type definitions of graphs define them.

use catalog::{EntityId, FieldId, FunctionId};
use ir::{EventKind, Filter};

use crate::claim_condition::ClaimCondition;
use crate::condition::Condition;

/// An action on nodes or rows that a restriction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    Read,
    /// Reading the result of a change.
    ReadChanged,
    /// Ordering by a field.
    Order,
    Aggregate,
    Create,
    Update,
    /// An update that changes relationships only.
    UpdateRelationships,
    Delete,
    CreateRelationship,
    /// Conditions on the nodes from which relationships are created, before they are.
    CreateRelationshipFrom,
    DeleteRelationship,
    /// Reading a row that is found by its password.
    CheckPassword,
    /// Creating a relationship to a node that is created if it is missing.
    ConnectOrCreate,
    /// Subscribing to events of nodes, or to a field of them.
    Subscribe,
    /// Receiving an event of a node.
    Receive(EventKind),
}

/// The restrictions of one target `P`, with conditions `R` on rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restriction<P = Target, R = Filter> {
    pub place: P,
    pub authentication: Option<Authentication>,
    /// A row counts as absent unless it passes one of the filters of the action.
    pub filters: Vec<RowRule<R>>,
    /// Conditions of an action whose violation by any row is an error, and ends the action.
    pub validations: Vec<RowRule<R>>,
}

/// A part of the API that can be restricted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Everything,
    /// All root fields of an operation type.
    Root(RootType),
    Entity(EntityId),
    Field(FieldId),
    /// A function: of a row, or of a root field.
    Function(FunctionId),
}

/// An operation type whose root fields can be restricted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootType {
    Query,
    Mutation,
}

/// Authentication requirements of some actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authentication {
    pub actions: Vec<Action>,
    /// True if an unauthenticated session is denied.
    pub is_required: bool,
    pub claims: Option<ClaimCondition>,
}

/// A condition on the rows of some actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowRule<R = Filter> {
    pub actions: Vec<Action>,
    /// True if a validation is checked before the change; `after` for after it. Both may be set.
    pub before: bool,
    pub after: bool,
    /// True if unauthenticated sessions fail it.
    pub requires_authentication: bool,
    /// True if rows that fail a filter count as absent in conditions of the request on related rows,
    /// too.
    pub in_conditions: bool,
    pub condition: Condition<R>,
}

impl Action {
    /// The actions of a rule that names none. Other actions must be named.
    pub const ALL: [Self; 9] = [
        Self::Read,
        Self::ReadChanged,
        Self::Aggregate,
        Self::Create,
        Self::Update,
        Self::Delete,
        Self::CreateRelationship,
        Self::DeleteRelationship,
        Self::Subscribe,
    ];
}
