//! Enum values that inputs read.

use crate::binding::{
    ArgumentRole, FilterRole, InputRole, NearestRole, OrderRole, TreeRole, ValueBinding, WriteRole,
};

/// The enum values that an input reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ReadValues {
    Orders,
    /// Directions, with or without a position of nulls.
    Directions,
    Columns,
    Keys,
    /// Values to order by.
    Sorted,
    /// Parts of rows.
    Present,
    GroupKeys,
    Variants,
    Vectors,
    /// Values that the source stores or compares.
    Operands,
}

impl ReadValues {
    pub(super) fn of(role: &InputRole) -> Self {
        match role {
            InputRole::Argument(ArgumentRole::OrderBy) => Self::Orders,
            InputRole::Argument(ArgumentRole::GroupBy { .. }) => Self::GroupKeys,
            InputRole::Argument(ArgumentRole::Nearest(NearestRole::By)) => Self::Vectors,
            InputRole::Order(OrderRole::Directed(_)) => Self::Sorted,
            InputRole::Argument(ArgumentRole::DistinctOn | ArgumentRole::CountedColumns) => {
                Self::Columns
            }
            InputRole::Argument(ArgumentRole::StreamDirection) => Self::Directions,
            InputRole::Write(WriteRole::Tree(TreeRole::ConflictColumns)) => Self::Columns,
            InputRole::Write(WriteRole::Tree(TreeRole::ConflictKey)) => Self::Keys,
            InputRole::Order(
                OrderRole::Field(_)
                | OrderRole::RelatedCount
                | OrderRole::Edge(_)
                | OrderRole::Common(_)
                | OrderRole::Computed(_),
            ) => Self::Directions,
            InputRole::Filter(role) => Self::of_filter(role),
            InputRole::Argument(_)
            | InputRole::Order(
                OrderRole::Sort
                | OrderRole::Then
                | OrderRole::SortOfEdge(_)
                | OrderRole::Related(_)
                | OrderRole::RelatedAggregates(_)
                | OrderRole::RelatedAggregatesThrough { .. }
                | OrderRole::FunctionAggregates(_)
                | OrderRole::Aggregates(_),
            )
            | InputRole::Write(_)
            | InputRole::Variant(_)
            | InputRole::Member
            | InputRole::Representations
            | InputRole::Ignored
            | InputRole::Refused(_) => Self::Operands,
        }
    }

    fn of_filter(role: &FilterRole) -> Self {
        match role {
            FilterRole::AllPresent => Self::Present,
            FilterRole::OfVariants => Self::Variants,
            FilterRole::AggregatedColumns => Self::Columns,
            FilterRole::Negated(role)
            | FilterRole::Complement(role)
            | FilterRole::Unsupported { role, .. } => Self::of_filter(role),
            _ => Self::Operands,
        }
    }

    /// Returns true if an input reads an enum value, or refuses it with the text of its binding.
    /// Operands are sent to the source as they are, so a text of theirs would never be read.
    pub(super) fn has(self, value: &ValueBinding) -> bool {
        match value {
            ValueBinding::Order(_) => self == Self::Orders,
            ValueBinding::Direction(_) | ValueBinding::Placed { .. } => self == Self::Directions,
            ValueBinding::Column(_) => self == Self::Columns,
            ValueBinding::Key(_) => self == Self::Keys,
            ValueBinding::Sorted(_) => self == Self::Sorted,
            ValueBinding::Present(_) => self == Self::Present,
            ValueBinding::GroupBy(_) => self == Self::GroupKeys,
            ValueBinding::Variant(_) => self == Self::Variants,
            ValueBinding::Vector { .. } | ValueBinding::CommonVector { .. } => {
                self == Self::Vectors
            }
            ValueBinding::Label(_) => self == Self::Operands,
            ValueBinding::Refused(_) => self != Self::Operands,
        }
    }
}
