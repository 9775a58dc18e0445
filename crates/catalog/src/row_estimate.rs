//! Estimated number of rows of an entity.

/// The estimated number of rows of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowEstimate {
    About(u64),
    /// At least so many; the count stopped there.
    AtLeast(u64),
}

impl RowEstimate {
    /// At least so many.
    pub(crate) fn least(self) -> u64 {
        match self {
            Self::About(rows) | Self::AtLeast(rows) => rows,
        }
    }
}
