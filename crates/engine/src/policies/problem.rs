//! Problems of a policy file: all of them, so that a file can be corrected in one go.

use std::fmt;

/// One problem of a policy file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PolicyProblem {
    /// From 1.
    pub line: usize,
    pub message: Box<str>,
}

/// All problems of a policy file, in the order of its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
pub struct PolicyProblems(Vec<PolicyProblem>);

impl PolicyProblems {
    pub fn iter(&self) -> impl Iterator<Item = &PolicyProblem> {
        self.0.iter()
    }

    /// The text of the first one.
    pub(super) fn into_message(self) -> Box<str> {
        self.0.into_iter().next().map(|problem| problem.message).unwrap_or_default()
    }

    /// The value of a part that is right. The problems of one that is not are kept.
    pub(super) fn keep<T>(&mut self, part: Result<T, Self>) -> Option<T> {
        match part {
            Ok(value) => Some(value),
            Err(Self(problems)) => {
                self.0.extend(problems);
                None
            }
        }
    }

    /// The values of all parts, where all are right.
    pub(super) fn all<T>(parts: impl Iterator<Item = Result<T, Self>>) -> Result<Vec<T>, Self> {
        let mut problems = Self::default();
        let values: Vec<T> = parts.filter_map(|part| problems.keep(part)).collect();
        problems.none().map(|()| values)
    }

    /// Fails where there are any.
    pub(super) fn none(mut self) -> Result<(), Self> {
        if self.0.is_empty() {
            return Ok(());
        }
        self.0.sort();
        // Roles that inherit one find its problems again.
        self.0.dedup();
        Err(self)
    }
}

impl From<PolicyProblem> for PolicyProblems {
    fn from(problem: PolicyProblem) -> Self {
        Self(vec![problem])
    }
}

impl fmt::Display for PolicyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl fmt::Display for PolicyProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (idx, problem) in self.0.iter().enumerate() {
            if idx > 0 {
                f.write_str("\nerror: ")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}
