//! Templates: texts with expressions in braces, such as `Bearer {$config.token}`.

use std::sync::Arc;

use serde_json::Value;

use crate::location::{Location, SyntaxError};
use crate::mapping::{Exceeded, Inputs, Limits, Mapping, Problem, scalar};
use crate::variables::Variables;
use crate::version::Version;

/// A text with expressions.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    pub(crate) parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    Text(Box<str>),
    Expression(Mapping),
}

/// The reason why a part of a request cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FillError {
    #[error(transparent)]
    Exceeded(#[from] Exceeded),
    #[error("an expression of {0} makes a list or an object: only a scalar has a text")]
    NoScalar(&'static str),
}

impl Template {
    /// Parses a text in which `{` begins an expression.
    pub fn parse(text: &str, version: Version) -> Result<Self, Vec<SyntaxError>> {
        let text: Arc<str> = text.into();
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(length) = text[at..].find(['{', '}']) {
            let brace = at + length;
            if text[brace..].starts_with('}') {
                let message = "`}` has no `{` before it";
                return Err(vec![SyntaxError {
                    place: Location::of(&text, brace),
                    message: message.into(),
                }]);
            }
            if length > 0 {
                parts.push(Part::Text(text[at..brace].into()));
            }
            let (mapping, end) = Mapping::parse_braced(&text, brace + 1, version)?;
            parts.push(Part::Expression(mapping));
            at = end;
        }
        if at < text.len() {
            parts.push(Part::Text(text[at..].into()));
        }
        Ok(Self { parts })
    }

    /// The expressions in their order.
    pub fn expressions(&self) -> impl Iterator<Item = &Mapping> {
        self.parts.iter().filter_map(|part| match part {
            Part::Expression(mapping) => Some(mapping),
            Part::Text(_) => None,
        })
    }

    /// What its expressions need.
    #[must_use]
    pub fn inputs(&self) -> Inputs {
        let mut inputs = Inputs::default();
        self.expressions().for_each(|mapping| inputs.add(&mapping.inputs()));
        inputs
    }

    /// The text with the values of its expressions. What is null or missing is an empty text; if nothing
    /// else is in the template, there is no text at all. `what` names the template in an error.
    pub fn fill(
        &self,
        variables: &Variables<'_>,
        limits: &Limits,
        what: &'static str,
        problems: &mut Vec<Problem>,
    ) -> Result<Option<String>, FillError> {
        let mut text = String::new();
        let mut is_present = self.parts.is_empty();
        for part in &self.parts {
            let value = match part {
                Part::Text(value) => Some(value.to_string()),
                Part::Expression(mapping) => expand(mapping, variables, limits, what, problems)?,
            };
            if let Some(value) = value {
                is_present = true;
                text.push_str(&value);
            }
        }
        Ok(is_present.then_some(text))
    }
}

/// The text of an expression's scalar; `None` if it is null or missing.
pub(crate) fn expand(
    mapping: &Mapping,
    variables: &Variables<'_>,
    limits: &Limits,
    what: &'static str,
    problems: &mut Vec<Problem>,
) -> Result<Option<String>, FillError> {
    let outcome = mapping.build(variables, limits)?;
    problems.extend(outcome.problems);
    match outcome.value {
        None | Some(Value::Null) => Ok(None),
        Some(value) => scalar(&value).map(Some).ok_or(FillError::NoScalar(what)),
    }
}
