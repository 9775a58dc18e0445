//! Conditions on the claims of a session alone.

use regex::Regex;
use serde_json_bytes::Value as Json;

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
    /// The claim is of the type, which null is not.
    OfType {
        claim: Box<str>,
        r#type: ClaimType,
    },
    /// The claim, or an element of it, is this JSON value.
    Is {
        claim: Box<str>,
        value: Json,
    },
    /// The claim, or an element of it, is a text that has a match of the pattern.
    Matches {
        claim: Box<str>,
        pattern: Pattern,
    },
}

/// Types of claims in JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimType {
    Text,
    Boolean,
    /// A 64-bit integer.
    Integer,
    Number,
    /// A list of elements of one type.
    List(Box<ClaimType>),
    /// Any value but null.
    Any,
}

impl ClaimType {
    pub(crate) fn is_of(&self, claim: &Json) -> bool {
        match (self, claim) {
            (_, Json::Null) => false,
            (Self::Any, _)
            | (Self::Text, Json::String(_))
            | (Self::Boolean, Json::Bool(_))
            | (Self::Number, Json::Number(_)) => true,
            (Self::Integer, Json::Number(number)) => number.as_i64().is_some(),
            (Self::List(element), Json::Array(items)) => {
                items.iter().all(|item| element.is_of(item))
            }
            _ => false,
        }
    }
}

/// A regular expression, which equals another one with the same text.
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

impl Pattern {
    /// Compiles a pattern; the error names the part that is malformed.
    pub fn new(text: &str) -> Result<Self, String> {
        Regex::new(text).map(Self).map_err(|error| error.to_string())
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}

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
