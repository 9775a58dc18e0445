//! Conditions on the claims of a session alone.

use crate::constant::Constant;

/// A condition on claims alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimCondition {
    All(Vec<ClaimCondition>),
    Any(Vec<ClaimCondition>),
    Not(Box<ClaimCondition>),
    /// The session is authenticated.
    Authenticated,
    /// The claim is present; it may be null.
    Present {
        claim: Box<str>,
    },
    /// A test of a claim, which is named by its path. A missing claim fails every test.
    Test {
        claim: Box<str>,
        test: ClaimTest,
        value: Constant,
    },
}

/// A comparison of a claim with a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimTest {
    Equal,
    In,
    /// The claim is a list that contains the value.
    Includes,
    Contains,
    StartsWith,
    EndsWith,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}
