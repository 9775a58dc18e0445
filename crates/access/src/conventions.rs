//! Conventions of a frontend in which systems with permissions differ.

/// Decisions that grants leave open. The default is that of policy files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conventions {
    pub missing_claims: MissingClaims,
    pub changed_rows: ChangedRows,
    pub followed_keys: FollowedKeys,
    /// The error of written rows that pass no check; by default it names the entity.
    pub failed_check: Option<Box<str>>,
    /// The claim by which a session of a role gets the further grants of [`Elevation`](crate::Elevation).
    pub elevating_claim: Option<Box<str>>,
}

/// The meaning of a condition with a claim that a session lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingClaims {
    /// The comparison is unknown, as that with null.
    #[default]
    Unknown,
    /// The parts of a request that need the condition are refused.
    Refused,
}

/// The rows that a change reaches and returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChangedRows {
    /// Those that may be read as well: conditions and results of changes show no other rows.
    #[default]
    Readable,
    /// Those that the grants of the change permit; they are returned whether they may be read
    /// otherwise or not. Their fields must be readable. Rows that a function gives must be readable.
    Granted,
}

/// The fields that a relationship compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FollowedKeys {
    /// They must be readable.
    #[default]
    Readable,
    /// A relationship to readable rows may be followed by any fields, and rows be in the order of any
    /// key. A role must not see orders and conditions of fields that it may not read.
    Any,
}
