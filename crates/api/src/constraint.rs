//! Error texts for constraints of the source.

/// The error text for a change that violates a constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintMessage {
    pub namespace: Option<Box<str>>,
    /// The table or the domain.
    pub owner: Box<str>,
    pub constraint: Box<str>,
    pub text: Box<str>,
}
