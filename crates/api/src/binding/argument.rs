//! Arguments of fields that give rows or values.

use catalog::SearchId;
use ir::{Hop, Place};

use super::{ArgumentBinding, VariantsId};

/// What an argument says of the rows or the value that its field gives.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentRole {
    /// An object of such arguments.
    Options,
    /// At most so many rows.
    Limit,
    /// At most so many rows; zero is as if it were absent.
    LimitUnlessZero,
    /// The same, with a maximum.
    LimitAtMost(u64),
    /// Without the first so many rows.
    Offset,
    /// The last rows, so many at most.
    Last,
    /// The rows after a cursor.
    After,
    /// The rows before a cursor.
    Before,
    /// The rows after a cursor of [`Cursors::Offsets`](super::Cursors::Offsets).
    AfterOffset,
    /// An enum value or a list of them, bound by [`ValueBinding::Order`](super::ValueBinding::Order).
    OrderBy,
    /// An object, or a list of such, of [`OrderRole`](super::OrderRole)s, in the order given.
    Sort,
    /// A list of enum values, bound by [`ValueBinding::GroupBy`](super::ValueBinding::GroupBy): an
    /// argument of [`ConnectionField::Groups`](super::ConnectionField::Groups).
    GroupBy,
    /// An object of [`ArgumentRole::GroupField`]s: an argument of
    /// [`ConnectionField::RowGroups`](super::ConnectionField::RowGroups).
    GroupFields,
    /// A boolean that steers: rows are grouped by this value.
    GroupField(Box<Place>),
    /// The opaque id of a row.
    NodeId,
    /// The same as [`FieldBinding::GlobalId`](super::FieldBinding::GlobalId) writes it.
    GlobalId,
    /// An argument of the function that gives what the field shows.
    Call(ArgumentBinding),
    /// The text that an index is searched for.
    Searched,
    /// An object of [`ArgumentRole::Searched`]: the rows are those that the index finds.
    SearchBy(SearchId),
    /// A boolean that steers: a relationship is followed as it is directed, or in either direction.
    Directed { directed: Hop, undirected: Hop },
    /// The same of the relationships to rows of several entities.
    DirectedVariants { directed: VariantsId, undirected: VariantsId },
}
