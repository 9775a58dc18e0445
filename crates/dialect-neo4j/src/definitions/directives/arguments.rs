//! The arguments of a directive: whether they are what it takes, and what they say.

use std::sync::Arc;

use graphql::definitions::{Directive, Literal};

use super::spec::{Argument, Shape, Spec};
use crate::definitions::problem::{At, Problems};

/// The arguments of a directive that were checked.
#[derive(Clone, Copy, Debug)]
pub(in crate::definitions) struct Arguments<'d>(&'d Directive);

impl<'d> Arguments<'d> {
    pub(super) fn new(directive: &'d Directive) -> Self {
        Self(directive)
    }

    pub(in crate::definitions) fn line(self) -> usize {
        self.0.line
    }

    /// What is said for an argument; null is as good as nothing.
    pub(in crate::definitions) fn value(self, name: &str) -> Option<&'d Literal> {
        let argument = self.0.arguments.iter().find(|argument| &*argument.name == name)?;
        (argument.value != Literal::Null).then_some(&argument.value)
    }

    pub(in crate::definitions) fn boolean(self, name: &str) -> Option<bool> {
        match self.value(name)? {
            Literal::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    pub(in crate::definitions) fn text(self, name: &str) -> Option<&'d Arc<str>> {
        match self.value(name)? {
            Literal::String(text) => Some(text),
            _ => None,
        }
    }

    /// The name of a value of an enum.
    pub(in crate::definitions) fn word(self, name: &str) -> Option<&'d str> {
        match self.value(name)? {
            Literal::Enum(word) => Some(word),
            _ => None,
        }
    }

    /// Names of values of an enum, or texts.
    pub(in crate::definitions) fn words(self, name: &str) -> Option<Vec<&'d Arc<str>>> {
        let word = |literal: &'d Literal| match literal {
            Literal::Enum(word) | Literal::String(word) => Some(word),
            _ => None,
        };
        match self.value(name)? {
            Literal::List(items) => Some(items.iter().filter_map(word).collect()),
            one => Some(word(one).into_iter().collect()),
        }
    }
}

/// Reports what is wrong with the arguments; whether nothing is.
pub(super) fn check(
    spec: &Spec,
    at: At<'_>,
    directive: &Directive,
    problems: &mut Problems,
) -> bool {
    let before = problems.count();
    let mut said: Vec<&str> = Vec::new();
    for argument in &directive.arguments {
        let at = at.on_line(argument.line);
        let subject = format!("`@{}({}:)`", spec.name, argument.name);
        let Some(known) = spec.arguments.iter().find(|known| known.name == &*argument.name) else {
            problems.wrong(at, format!("{subject} is unknown: {}", these(spec)));
            continue;
        };
        if said.contains(&known.name) {
            problems.wrong(at, format!("{subject} is said twice"));
        }
        said.push(known.name);
        check_value(known, &argument.value, &subject, at, problems);
    }
    for known in spec.arguments {
        if known.is_required && !said.contains(&known.name) {
            problems.wrong(at, format!("`@{}` wants `{}:`", spec.name, known.name));
        }
    }
    problems.count() == before
}

fn these(spec: &Spec) -> String {
    if spec.arguments.is_empty() {
        return format!("`@{}` has no arguments", spec.name);
    }
    let names: Vec<String> =
        spec.arguments.iter().map(|argument| format!("`{}`", argument.name)).collect();
    format!("`@{}` has {}", spec.name, names.join(", "))
}

fn check_value(
    known: &Argument,
    value: &Literal,
    subject: &str,
    at: At<'_>,
    problems: &mut Problems,
) {
    if *value == Literal::Null {
        if known.is_required {
            problems.wrong(at, format!("{subject} must not be null"));
        }
    } else if let Some(expected) = mismatch(known.shape, value) {
        problems.wrong(at, format!("{subject} is {expected}"));
    } else if let Shape::Object(members) | Shape::Objects(members) = known.shape {
        let objects = match value {
            Literal::List(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        for object in objects {
            check_members(members, object, subject, at, problems);
        }
    }
}

/// Recursion is bounded by the tables: no members have members.
fn check_members(
    members: &[Argument],
    object: &Literal,
    subject: &str,
    at: At<'_>,
    problems: &mut Problems,
) {
    let Literal::Object(fields) = object else { return };
    for (name, value) in fields {
        match members.iter().find(|member| member.name == &**name) {
            Some(member) => {
                check_value(member, value, &format!("`{name}` of {subject}"), at, problems);
            }
            None => problems.wrong(at, format!("{subject} has no `{name}`")),
        }
    }
    for member in members {
        if member.is_required && !fields.iter().any(|(name, _)| &**name == member.name) {
            problems.wrong(at, format!("{subject} wants `{}`", member.name));
        }
    }
}

/// What a value should have been, if it is not.
fn mismatch(shape: Shape, value: &Literal) -> Option<String> {
    let all = |is_one: &dyn Fn(&Literal) -> bool| match value {
        Literal::List(items) => items.iter().all(is_one),
        one => is_one(one),
    };
    let is_text = |literal: &Literal| matches!(literal, Literal::String(_));
    let is_object = |literal: &Literal| matches!(literal, Literal::Object(_));
    let is_of = |literal: &Literal, names: &[&str]| match literal {
        Literal::Enum(name) => names.contains(&&**name),
        _ => false,
    };
    let (fits, expected) = match shape {
        Shape::Boolean => (matches!(value, Literal::Boolean(_)), "`true` or `false`".to_owned()),
        Shape::Integer => {
            let fits = matches!(value, Literal::Int(digits) if digits.parse::<i32>().is_ok());
            (fits, "a whole number of 32 bits".to_owned())
        }
        Shape::Text => (is_text(value), "a text in quotes".to_owned()),
        Shape::Texts => (all(&is_text), "a list of texts in quotes".to_owned()),
        Shape::OneOf(names) => (is_of(value, names), format!("one of {}", names.join(", "))),
        Shape::SomeOf(names) => {
            (all(&|one| is_of(one, names)), format!("a list of {}", names.join(", ")))
        }
        Shape::Object(_) => (is_object(value), "an object".to_owned()),
        Shape::Objects(_) => (all(&is_object), "a list of objects".to_owned()),
        Shape::Value | Shape::Anything => (true, String::new()),
    };
    (!fits).then_some(expected)
}
