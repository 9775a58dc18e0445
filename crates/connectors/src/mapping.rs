//! Mappings: expressions that select members of JSON and make other JSON of them.
//! <https://www.apollographql.com/docs/graphos/connectors/mapping>
//!
//! In the order of control flow: `scan` and `parse` make a `tree` of a text; [`shape`] and [`inputs`]
//! say what it makes and what it needs; `evaluate` makes the value, within [`limits`], and says
//! [`problem`]s.

use std::sync::Arc;

use serde_json::Value;

mod evaluate;
pub mod inputs;
pub mod limits;
pub mod methods;
mod parse;
pub mod problem;
mod scan;
pub mod shape;
mod tree;

pub use inputs::{Inputs, Members};
pub use limits::{Exceeded, Limits};
pub use methods::Method;
pub use problem::Problem;
pub use shape::Shape;

use crate::location::SyntaxError;
use crate::variables::{Variable, Variables};
use crate::version::Version;
use evaluate::Evaluation;
pub(crate) use evaluate::scalar;
use limits::Budget;
use problem::Problems;
use tree::{Expression, Root, Start, StepKind};

/// A parsed mapping.
#[derive(Clone, PartialEq)]
pub struct Mapping {
    /// The text that places are in: of a template, the whole one.
    text: Arc<str>,
    root: Root,
}

/// The value of a mapping.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// `None` if the whole value is missing: null in a field, no parameter, no body.
    pub value: Option<Value>,
    pub problems: Vec<Problem>,
}

impl Mapping {
    /// Parses the text of a mapping. Unknown methods and variables, and what the version does not have,
    /// are errors, too.
    pub fn parse(text: &str, version: Version) -> Result<Self, Vec<SyntaxError>> {
        Ok(Self { text: text.into(), root: parse::parse(text, version)? })
    }

    /// The text that was parsed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Parses the expression of a template, which begins at `start` and which `}` ends. Returns the
    /// offset after it.
    pub(crate) fn parse_braced(
        text: &Arc<str>,
        start: usize,
        version: Version,
    ) -> Result<(Self, usize), Vec<SyntaxError>> {
        let (expression, end) = parse::parse_braced(text, start, version)?;
        Ok((Self { text: Arc::clone(text), root: Root::Expression(expression) }, end))
    }

    /// The value over a response, which is `$`.
    pub fn evaluate(
        &self,
        response: &Value,
        variables: &Variables<'_>,
        limits: &Limits,
    ) -> Result<Outcome, Exceeded> {
        self.run(Some(response), variables, limits)
    }

    /// The value of a part of a request, where there is no `$`.
    pub fn build(&self, variables: &Variables<'_>, limits: &Limits) -> Result<Outcome, Exceeded> {
        self.run(None, variables, limits)
    }

    fn run(
        &self,
        response: Option<&Value>,
        variables: &Variables<'_>,
        limits: &Limits,
    ) -> Result<Outcome, Exceeded> {
        let budget = Budget::new(limits);
        let mut evaluation = Evaluation { variables, budget, problems: Problems::default() };
        let value = evaluation.root(&self.root, response)?;
        Ok(Outcome { value, problems: evaluation.problems.finish(&self.text) })
    }

    /// The variable and the names, if the mapping is only these: `$args.input.id`.
    #[must_use]
    pub fn variable_path(&self) -> Option<(Variable, Vec<&str>)> {
        let Root::Expression(Expression::Path(path)) = &self.root else { return None };
        let Start::Variable(variable) = path.start else { return None };
        if path.selection.is_some() {
            return None;
        }
        let mut names = Vec::with_capacity(path.steps.len());
        for step in &path.steps {
            match &step.kind {
                StepKind::Key(name) => names.push(&**name),
                StepKind::Optional => {}
                StepKind::Call(..) => return None,
            }
        }
        Some((variable, names))
    }

    /// What the mapping makes.
    #[must_use]
    pub fn shape(&self) -> Shape {
        shape::of(&self.root, &self.text)
    }

    /// What the mapping needs of variables, and whether it reads the response.
    #[must_use]
    pub fn inputs(&self) -> Inputs {
        inputs::of(&self.root, &self.text)
    }
}

impl std::fmt::Debug for Mapping {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mapping({:?})", self.text)
    }
}
