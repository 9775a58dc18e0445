//! Events: the creation, update or deletion of a node, which a subscription returns.

use catalog::EntityId;

use crate::operand::Operand;

/// The node of an event: its properties at one time, without relationships.
#[derive(Clone, Debug, PartialEq)]
pub struct EventNode {
    pub entity: EntityId,
    /// The kind of the event; `None` for another state of the node of an outer row, which has the
    /// conditions.
    pub kind: Option<EventKind>,
    /// The properties, in the source's own form.
    pub properties: Operand,
    /// The labels of the node, a list of texts.
    pub labels: Operand,
}

/// Kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    Created,
    Updated,
    Deleted,
}

impl EventKind {
    pub const ALL: [Self; 3] = [Self::Created, Self::Updated, Self::Deleted];
}
