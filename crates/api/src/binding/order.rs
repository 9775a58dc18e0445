//! Orders of rows, and groups.

use catalog::{EntityId, FieldId, FunctionId};
use ir::{Direction, Hop, Place, TimeUnit};
use response::Leaf;

use super::AggregateValue;

/// A member of an object of [`ArgumentRole::Sort`](super::ArgumentRole::Sort).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderRole {
    /// An object, or a list of such, of further members.
    Sort,
    /// The same for relationships whose properties are of this entity; it means nothing for others.
    SortOfEdge(EntityId),
    /// A direction for a field, bound by [`ValueBinding::Direction`](super::ValueBinding::Direction).
    Field(FieldId),
    /// The same for a field of the relationship that leads to the row.
    Edge(FieldId),
    /// The same for a field that all variants have.
    Common(u16),
    /// The same for the value of a function of the row.
    Computed(FunctionId),
}

/// What the rows of a group agree in.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupBy {
    pub field: FieldId,
    /// Of moments the unit of time that they are in, not the moment itself.
    pub unit: Option<TimeUnit>,
    /// How the text of the value is written.
    pub leaf: Leaf,
}

/// An order by a value of an order enum.
#[derive(Clone, Debug, PartialEq)]
pub enum OrderBy {
    /// No order of its own: the tie-break.
    Natural,
    /// By a field of what joins the row to the row around it, or by one that all variants have.
    Place { place: Place, direction: Direction },
    /// By these fields.
    Fields { fields: Vec<FieldId>, direction: Direction, cursor_name: Box<str> },
    /// By what is made of the rows that a relationship leads to; its leaf is that of cursors.
    Related { hop: Hop, value: Box<AggregateValue>, direction: Direction, cursor_name: Box<str> },
    /// By the value of a function of the row, which is the only field of the function's own
    /// entity.
    Computed { function: FunctionId, value: FieldId, direction: Direction, cursor_name: Box<str> },
}
