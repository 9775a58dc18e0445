//! Durability of committed transactions: <https://sqlite.org/pragma.html#pragma_synchronous>.

/// When a transaction counts as committed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// When the disk has it: a power failure loses nothing that was acknowledged.
    #[default]
    Full,
    /// When the system has it: a power failure may lose the newest transactions, and leaves the
    /// file whole.
    Normal,
}

impl Durability {
    /// The value of `PRAGMA synchronous`.
    pub(super) fn synchronous(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Normal => "normal",
        }
    }
}
