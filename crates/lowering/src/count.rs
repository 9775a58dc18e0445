//! What a number counts: rows, or values of theirs.

use catalog::FieldId;
use ir::{AggregateFunction, ValueRef};

/// The number of rows, or of values of theirs.
pub(super) struct Count {
    pub(super) function: AggregateFunction,
    /// `None`: rows are counted.
    pub(super) place: Option<ValueRef>,
}

/// The number of these columns' values, as SQL counts them: those of one column that are not null,
/// or, of several columns, the rows; `distinct`: different ones once.
pub(super) fn count_of(columns: &[FieldId], distinct: bool) -> Count {
    match (columns, distinct) {
        ([], _) => Count { function: AggregateFunction::Count, place: None },
        ([column], false) => {
            Count { function: AggregateFunction::Count, place: Some(ValueRef::field(*column)) }
        }
        ([column], true) => Count {
            function: AggregateFunction::DistinctCount,
            place: Some(ValueRef::field(*column)),
        },
        // The row of several columns is never null.
        (_, false) => Count { function: AggregateFunction::Count, place: None },
        (_, true) => Count {
            function: AggregateFunction::DistinctCount,
            place: Some(ValueRef::Together(columns.to_vec())),
        },
    }
}
