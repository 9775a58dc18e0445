//! Estimated number of rows of an entity.

/// About how many rows an entity has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowEstimate {
    About(u64),
    /// So many at least; nobody counted further.
    AtLeast(u64),
}

impl RowEstimate {
    /// So many at least.
    pub(crate) fn least(self) -> u64 {
        match self {
            Self::About(rows) | Self::AtLeast(rows) => rows,
        }
    }
}
