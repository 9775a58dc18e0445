//! Environment variables that metadata names.

use std::collections::BTreeMap;
use std::fmt;

use hasura_metadata::{Location, Problem, ProblemKind};

/// The values of environment variables.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<Box<str>, Box<str>>);

/// The names only: values may be secrets.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Environment {
    /// Variables by name.
    pub fn new(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let variables = variables.into_iter();
        Self(variables.map(|(name, value)| (name.into(), value.into())).collect())
    }

    /// The value of a variable; or the problem that it is not set.
    pub(crate) fn require(&self, name: &str, place: &Location) -> Result<&str, Problem> {
        self.0.get(name).map(|value| &**value).ok_or_else(|| Problem {
            kind: ProblemKind::MissingPart,
            place: place.clone(),
            message: format!("The environment variable {name} is not set."),
        })
    }

    /// A text in which `{{NAME}}` are variables.
    pub(crate) fn fill(&self, text: &str, place: &Location) -> Result<String, Problem> {
        let mut filled = String::with_capacity(text.len());
        for part in parts(text) {
            filled.push_str(match part {
                Part::Text(text) => text,
                Part::Variable(name) => self.require(name, place)?,
            });
        }
        Ok(filled)
    }
}

enum Part<'t> {
    Text(&'t str),
    Variable(&'t str),
}

fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = Some(text);
    let mut next = None;
    std::iter::from_fn(move || {
        if let Some(variable) = next.take() {
            return Some(variable);
        }
        let text = rest.take().filter(|text| !text.is_empty())?;
        let variable = text.split_once("{{").and_then(|(before, behind)| {
            let (name, behind) = behind.split_once("}}")?;
            Some((before, name.trim(), behind))
        });
        Some(match variable {
            None => Part::Text(text),
            Some((before, name, behind)) => {
                (next, rest) = (Some(Part::Variable(name)), Some(behind));
                Part::Text(before)
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_filled_in() {
        let variables = [("A", "x"), ("B", "{{A}}")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let environment = Environment::new(variables);
        let fill = |text: &str| {
            let filled = environment.fill(text, &Location::default());
            filled.unwrap_or_else(|problem| problem.message)
        };
        assert_eq!(fill("http://{{A}}/{{ B }}/c"), "http://x/{{A}}/c");
        assert_eq!(fill("{{A}}{{A}}"), "xx");
        assert_eq!(fill("{{A"), "{{A");
        assert_eq!(fill(""), "");
        assert_eq!(fill("/{{C}}"), "The environment variable C is not set.");
        assert_eq!(format!("{environment:?}"), r#"{"A", "B"}"#);
    }
}
