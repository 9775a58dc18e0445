//! Orders of the operations.

use super::view::Operation;

/// Orders of operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sort {
    #[default]
    Rate,
    /// By the 95th percentile.
    Latency,
    /// By the sum of the durations.
    Load,
    Name,
}

impl Sort {
    pub(super) fn next(self) -> Self {
        match self {
            Self::Rate => Self::Latency,
            Self::Latency => Self::Load,
            Self::Load => Self::Name,
            Self::Name => Self::Rate,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Rate => "requests",
            Self::Latency => "p95",
            Self::Load => "load",
            Self::Name => "name",
        }
    }

    /// Sorts by this order, and then by name.
    pub(super) fn sort(self, operations: &mut [Operation]) {
        let key = |operation: &Operation| match self {
            Self::Rate => operation.per_second,
            Self::Latency => operation.percentiles[1].unwrap_or(0.0),
            Self::Load => operation.load,
            Self::Name => 0.0,
        };
        operations.sort_by(|one, other| {
            key(other).total_cmp(&key(one)).then_with(|| one.name.cmp(&other.name))
        });
    }
}
