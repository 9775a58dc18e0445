//! Orders of rows, and groups.

use std::sync::Arc;

use catalog::{EntityId, FieldId, FunctionId};
use ir::{AggregateFunction, Direction, Hop, Nulls, OrderKey, TimeUnit, ValueRef};
use response::Leaf;

use super::AggregateValue;

/// A member of an object of [`ArgumentRole::Sort`](super::ArgumentRole::Sort).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderRole {
    /// An object, or a list of such, of further members.
    Sort,
    /// The same, after all other members of the enclosing object.
    Then,
    /// An enum value, bound by [`ValueBinding::Sorted`](super::ValueBinding::Sorted): an order by this
    /// value in this direction. Nulls are last in both directions.
    Directed(Direction),
    /// The same as [`OrderRole::Sort`] for relationships with properties of this entity; ignored for others.
    SortOfEdge(EntityId),
    /// An object of such members for the row at the end of a to-one relationship.
    Related(Hop),
    /// An object of orders by aggregates of related rows: of [`OrderRole::RelatedCount`] and
    /// [`OrderRole::Aggregates`]. An [`OrderRole::Field`] in it is an order by the least value, which is
    /// that of the row if there is one: nothing may enforce that.
    RelatedAggregates(Hop),
    /// [`OrderRole::RelatedAggregates`] of a many-to-many relationship: `near` leads to the join rows, and
    /// `far` from them to the aggregated rows.
    RelatedAggregatesThrough { near: Hop, far: Hop },
    /// An object of orders by aggregates of the rows that a function of the row returns, as
    /// [`OrderRole::RelatedAggregates`] of related rows.
    FunctionAggregates(FunctionId),
    /// In [`OrderRole::RelatedAggregates`], a direction for the number of the rows.
    RelatedCount,
    /// In [`OrderRole::RelatedAggregates`], an object of [`OrderRole::Field`]s: orders by this
    /// aggregate of each.
    Aggregates(AggregateFunction),
    /// A direction for a field, bound by
    /// [`ValueBinding::Direction`](super::ValueBinding::Direction) or
    /// [`ValueBinding::Placed`](super::ValueBinding::Placed).
    Field(FieldId),
    /// The same for a field of the relationship to the row.
    Edge(FieldId),
    /// The same for a field that all variants have.
    Common(u16),
    /// The same for the value of a function of the row.
    Computed(FunctionId),
}

/// A group key.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupBy {
    pub field: FieldId,
    /// For moments, the unit of time to truncate to.
    pub unit: Option<TimeUnit>,
    /// The output of the value's text.
    pub leaf: Leaf,
}

/// A value in cursors of [`Cursors::Members`](super::Cursors::Members).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CursorMember {
    /// The names of the members that lead to it.
    pub path: Vec<Arc<str>>,
    /// Its form; of a field that of its column.
    pub leaf: Option<Leaf>,
}

/// An order by a value of an order enum. What is larger than an order by fields is boxed: large
/// schemas have many values.
#[derive(Clone, Debug, PartialEq)]
pub enum OrderBy {
    /// No order of its own: the tie-break.
    Natural,
    /// A field of the join row or relationship, or one that all variants have.
    Value { place: Box<ValueRef>, direction: Direction },
    /// A value of the row; nulls are last in both directions.
    NullsLast { place: Box<ValueRef>, direction: Direction },
    /// Any key, with the position of nulls; boxed, since a key is larger than all other variants.
    Placed { key: Box<OrderKey>, direction: Direction, nulls: Nulls, member: Box<CursorMember> },
    /// These fields.
    Fields { fields: Box<[FieldId]>, direction: Direction, cursor_name: Box<str> },
    /// An aggregate of related rows; its leaf is that of cursors.
    Related { hop: Hop, value: Box<AggregateValue>, direction: Direction, cursor_name: Box<str> },
    /// The value of a function of the row, which is the only field of the function's own entity.
    Computed { function: FunctionId, value: FieldId, direction: Direction, cursor_name: Box<str> },
}
