//! Parts of an incremental response: the initial one, and one for each deferred fragment.
//!
//! A fragment with `@defer` is a part for each position that it is selected at. An item belongs to
//! the part of every occurrence of its field.

use graphql::heap_size;

use super::{PositionId, ids};
use supergraph::TypeSet;

ids! {
    /// A part of the response.
    PartId "part";
}

/// Maximum number of parts: the bits of a set. Further deferred fragments are sent with the part
/// around them, which the specification allows.
const MAX_PARTS: usize = 64;

/// A set of parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Parts(u64);

/// A fragment with `@defer` at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeferredFragment {
    pub label: Option<Box<str>>,
    /// The part around it.
    pub parent: PartId,
    pub position: PositionId,
    /// Types of the objects that it is selected on.
    pub types: TypeSet,
}

impl PartId {
    /// The initial part.
    pub const INITIAL: Self = Self(0);

    /// Returns the part of a deferred fragment; `None` beyond the limit.
    pub(super) fn of_fragment(index: usize) -> Option<Self> {
        (index + 1 < MAX_PARTS).then(|| Self::new(index + 1))
    }

    /// Index of the deferred fragment; `None` for the initial part.
    #[must_use]
    pub fn fragment(self) -> Option<usize> {
        self.index().checked_sub(1)
    }
}

impl Parts {
    pub const NONE: Self = Self(0);
    pub const ALL: Self = Self(u64::MAX);

    #[must_use]
    pub fn only(part: PartId) -> Self {
        Self(1 << (part.0 % 64))
    }

    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    #[must_use]
    pub fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    #[must_use]
    pub fn contains(self, part: PartId) -> bool {
        self.intersects(Self::only(part))
    }
}

heap_size!(plain PartId, Parts);
heap_size!(struct DeferredFragment { label, parent, position, types });
