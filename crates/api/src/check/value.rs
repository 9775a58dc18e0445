//! Enum values that inputs read.

use crate::binding::{ArgumentRole, FilterRole, InputRole, NearestRole, OrderRole, ValueBinding};

/// The enum values that an input reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ReadValues {
    Orders,
    Directions,
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
            InputRole::Argument(ArgumentRole::GroupBy) => Self::GroupKeys,
            InputRole::Argument(ArgumentRole::Nearest(NearestRole::By)) => Self::Vectors,
            InputRole::Order(OrderRole::Directed(_)) => Self::Sorted,
            InputRole::Order(
                OrderRole::Field(_)
                | OrderRole::Edge(_)
                | OrderRole::Common(_)
                | OrderRole::Computed(_),
            ) => Self::Directions,
            InputRole::Filter(role) => Self::of_filter(role),
            InputRole::Argument(_)
            | InputRole::Order(OrderRole::Sort | OrderRole::Then | OrderRole::SortOfEdge(_))
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
            ValueBinding::Direction(_) => self == Self::Directions,
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
