//! Limits of a request.

use graphql::DocumentLimits;

use crate::cost::CostLimits;
use crate::patterns::PatternLimits;

/// Limits of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    pub document: DocumentLimits,
    pub cost: CostLimits,
    pub patterns: PatternLimits,
    /// The most bytes that an answer may have.
    pub response_bytes: u64,
    /// Whether introspection of the schema is permitted.
    pub introspection: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            document: DocumentLimits::default(),
            cost: CostLimits::default(),
            patterns: PatternLimits::default(),
            response_bytes: 256 << 20,
            introspection: true,
        }
    }
}
