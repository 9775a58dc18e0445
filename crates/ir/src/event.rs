//! Kinds of events: a node is created, updated or deleted.

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
