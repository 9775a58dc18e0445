//! Arguments of fields that return rows or values.

use std::sync::Arc;

use catalog::{FieldId, SearchId};
use ir::{Hop, ValueRef};

use super::{ArgumentBinding, EventRole, VariantsId};

/// The meaning of an argument for the rows or the value of its field.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentRole {
    /// An object of such arguments.
    Options,
    /// The limit of the rows.
    Limit,
    /// The limit of the rows; zero counts as absent.
    LimitUnlessZero,
    /// The limit of the rows; zero counts as absent, and larger ones as this maximum.
    LimitAtMost(u64),
    /// The limit of the rows; zero counts as absent. A negative one limits the rows that are counted
    /// from the end, whatever their offset is.
    SignedLimit,
    /// The offset of the rows.
    Offset,
    /// The limit of the rows, counted from the end.
    Last,
    /// The rows after a cursor.
    After,
    /// The rows before a cursor.
    Before,
    /// A part of a page, which steers: a negative number is a request error with this text.
    NotNegative { part: PagePart, otherwise: Box<Box<str>>, most: Option<Box<MostRows>> },
    /// The rows after the one with this key: a cursor of [`Cursors::Keys`](super::Cursors::Keys).
    AfterKey,
    /// The rows before the one with this key.
    BeforeKey,
    /// The rows after a cursor of [`Cursors::Offsets`](super::Cursors::Offsets).
    AfterOffset,
    /// The rows after a cursor of [`Cursors::Members`](super::Cursors::Members).
    AfterMembers,
    /// The rows before such a cursor.
    BeforeMembers,
    /// An enum value or a list of them, bound by [`ValueBinding::Order`](super::ValueBinding::Order).
    OrderBy,
    /// An object, or a list of such, of [`OrderRole`](super::OrderRole)s, in the order given.
    Sort,
    /// A list of enum values, bound by [`ValueBinding::Column`](super::ValueBinding::Column): one row
    /// for each combination of these columns, the first in the order, which must begin with them.
    DistinctOn,
    /// A list of enum values, bound by [`ValueBinding::Column`](super::ValueBinding::Column): the
    /// columns of [`AggregateField::Counted`](super::AggregateField::Counted).
    CountedColumns,
    /// A boolean that steers: different values of these columns are counted once.
    CountsDistinct,
    /// A list of enum values, bound by [`ValueBinding::GroupBy`](super::ValueBinding::GroupBy): an
    /// argument of [`ConnectionField::Groups`](super::ConnectionField::Groups).
    GroupBy {
        /// The error of conditions on groups without a key.
        unkeyed: Box<str>,
    },
    /// An object of [`ArgumentRole::GroupField`]s: an argument of
    /// [`ConnectionField::RowGroups`](super::ConnectionField::RowGroups).
    GroupFields,
    /// A boolean that steers: this value is a group key.
    GroupField(Box<ValueRef>),
    /// A condition on events of rows.
    Event(EventRole),
    /// The opaque id of a row.
    NodeId,
    /// The opaque id of a row in the form of [`IdForm::Versioned`](super::IdForm::Versioned).
    VersionedNodeId,
    /// The id of a row in the form of [`FieldBinding::GlobalId`](super::FieldBinding::GlobalId).
    GlobalId,
    /// An argument of the field's function.
    Call(ArgumentBinding),
    /// A password: only the row whose field has a hash of it is found.
    Password(FieldId),
    /// A password of rows of several entities, each with a field of its own, in the order of the
    /// list of variants: only rows whose field has a hash of it are found.
    CommonPassword(Arc<[FieldId]>),
    /// Of rows by the distances of their vectors: see
    /// [`RowsFrom::Nearest`](super::RowsFrom::Nearest) and
    /// [`RowsFrom::NearestVariants`](super::RowsFrom::NearestVariants).
    Nearest(NearestRole),
    /// The search text of an index.
    Searched,
    /// An object of [`ArgumentRole::Searched`]: the rows are those that the index finds.
    SearchBy(SearchId),
    /// The topic of [`FieldBinding::Listen`](super::FieldBinding::Listen).
    Topic,
    /// A boolean that steers: events begin with one without a notification.
    Begins,
    /// The path to a part of the JSON value of a [`FieldBinding::Column`](super::FieldBinding::Column).
    JsonPath,
    /// The position at which a [`RowsForm::Stream`](super::RowsForm::Stream) begins: a list of one
    /// object of [`ArgumentRole::StreamStart`] and [`ArgumentRole::StreamDirection`].
    Stream,
    /// An object of one [`ArgumentRole::StreamFrom`].
    StreamStart,
    /// The value of a column at the position; the rows are beyond it in the order of the column.
    StreamFrom(FieldId),
    /// An enum value, bound by [`ValueBinding::Direction`](super::ValueBinding::Direction): the
    /// direction of the order.
    StreamDirection,
    /// A boolean that steers: a relationship is followed in its direction, or in both.
    Directed { directed: Hop, undirected: Hop },
    /// A boolean that steers: relationships to rows of several entities are followed in their
    /// direction, or in both.
    DirectedVariants { directed: VariantsId, undirected: VariantsId },
}

/// A limit of the rows that a page may ask for, which steers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MostRows {
    pub rows: u32,
    /// The error of a larger number, before and behind which these texts stand.
    pub otherwise: (Box<str>, Box<str>),
}

/// A part of a page that a number gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagePart {
    /// As [`ArgumentRole::Limit`].
    Limit,
    /// As [`ArgumentRole::Last`].
    Last,
    /// As [`ArgumentRole::Offset`].
    Offset,
}

/// The meaning of an argument of rows by the distances of their vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NearestRole {
    /// An enum value, bound by [`ValueBinding::Vector`](super::ValueBinding::Vector) or
    /// [`ValueBinding::CommonVector`](super::ValueBinding::CommonVector).
    By,
    /// The vector from which rows have a distance.
    Vector,
    /// A value of the row with that vector.
    Key(FieldId),
    /// A value of the row with that vector, of several entities: its index among the common fields.
    CommonKey(u16),
    /// The number of rows.
    Count,
    /// The largest distance.
    Most,
    /// The number of vectors that a search of an index visits, within its limits.
    Visited,
}
