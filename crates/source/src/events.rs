//! Events of nodes: a committed transaction has created, updated or deleted them.

use std::sync::Arc;

use ir::EventKind;

/// An event of one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeEvent {
    pub kind: EventKind,
    pub labels: Vec<Box<str>>,
    /// The properties before the transaction, in the source's own form; `None` if it has created the
    /// node.
    pub before: Option<Box<[u8]>>,
    /// The properties after it; `None` if it has deleted the node.
    pub after: Option<Box<[u8]>>,
    /// The time of the change, in milliseconds since 1970.
    pub timestamp: i64,
}

/// The events of the committed transactions of a request.
#[derive(Clone, Debug, Default)]
pub struct CommittedEvents {
    pub events: Vec<Arc<NodeEvent>>,
    /// True if there may be more: it is not known whether a transaction was committed, or what it has
    /// changed.
    pub is_incomplete: bool,
}
