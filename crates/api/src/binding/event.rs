//! Events of changed rows: what their subscriptions show, and the conditions on them.

use catalog::FieldId;
use ir::{EventKind, Hop};

use super::relation::ElementRows;

/// A part of an event: a field of the object of [`FieldBinding::RowEvent`](super::FieldBinding::RowEvent).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventPart {
    /// The kind of the change, by the names of [`event_label`].
    Kind,
    /// The row after the change; null if it was deleted.
    Row,
    /// The names of the values that an update has set; null for other changes.
    UpdatedFields,
    /// The values before the change, an object of [`EventPart::FormerValue`]; null if the row was
    /// created.
    FormerValues,
    /// A value before the change, by its name among [`RelatedRows::values`](super::RelatedRows).
    FormerValue(Box<str>),
}

/// A condition on events: an argument of [`FieldBinding::RowEvent`](super::FieldBinding::RowEvent), or a
/// member of an object of such.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventRole {
    /// An object of conditions.
    Conditions,
    /// A list of objects of conditions, of which all hold.
    And,
    /// A list of which one holds at least; none does of an empty one.
    Or,
    /// A list of which none holds.
    Not,
    /// Enum values, bound by [`ValueBinding::Label`](super::ValueBinding::Label): the kind is one of
    /// these.
    KindIn,
    /// The name of a value: the update has set it.
    Sets,
    /// Names of values: the update has set all of them.
    SetsEvery,
    /// Names of values: the update has set at least one of them.
    SetsSome,
    /// An object of conditions on the row after the change. It is not asked of a deleted row.
    Row,
}

/// A value of a row that its events have.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedValue {
    pub name: Box<str>,
    pub place: ValuePlace,
}

/// The place of a value of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValuePlace {
    Field(FieldId),
    /// A list, whose rows the hop leads to.
    Elements {
        hop: Hop,
        rows: ElementRows,
    },
}

/// The name of a kind of event in the API.
#[must_use]
pub fn event_label(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Created => "CREATED",
        EventKind::Updated => "UPDATED",
        EventKind::Deleted => "DELETED",
    }
}
