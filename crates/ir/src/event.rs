//! Kinds of events: a node or a row is created, updated or deleted.

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

/// The members of an event of a row, in the object of all events that a change's answer has: the index
/// of the entity, and the value of the event.
pub const ENTITY: &str = "entity";
pub const VALUE: &str = "value";
