//! Selections of `@fromContext`: for each type that sets the context, one field of the argument's
//! type.

use graphql::definitions::{FieldSetSelection, TypeExpression};
use graphql::{find_directive_in_field_set, parse_field_set};

use super::interfaces::is_sub_type;
use super::selections::is_composite;
use super::{Reference, Report};
use crate::composition::schema::{Subgraph, Type};

/// Returns what is wrong with a selection, as clauses.
pub(super) fn problems(
    report: &Report<'_>,
    types: &[&Type],
    selection: &str,
    expected: &TypeExpression,
) -> Vec<String> {
    let selections = match parse_field_set(selection) {
        Ok(selections) => selections,
        Err(error) => {
            let reason = match find_directive_in_field_set(selection) {
                Some(directive) => format!("contains `@{directive}`"),
                None => format!("is invalid: {}", error.message.trim_end_matches('.')),
            };
            return vec![reason];
        }
    };
    let context = Context { report, expected };
    let fragments: Vec<_> = selections
        .iter()
        .filter_map(|selection| match selection {
            FieldSetSelection::Fragment { on, selections } => Some((on.as_deref(), selections)),
            FieldSetSelection::Field { .. } => None,
        })
        .collect();
    if fragments.is_empty() {
        let problems = types.iter().filter_map(|r#type| context.problem(r#type, &selections));
        return problems.collect();
    }
    if fragments.len() < selections.len() {
        return vec!["has fields beside fragments".to_owned()];
    }
    let mut problems = Vec::new();
    for r#type in types {
        let matches =
            |on: &Option<&str>| on.is_none_or(|on| overlaps(report.subgraph, on, &r#type.name));
        let mut matching = fragments.iter().filter(|(on, _)| matches(on)).peekable();
        if matching.peek().is_none() {
            problems.push(format!("has no fragment for `{}`, which sets the context", r#type.name));
        }
        for (on, selections) in matching {
            let on = on.and_then(|on| report.subgraph.find_type(on)).unwrap_or(r#type);
            problems.extend(context.problem(on, selections));
        }
    }
    for (on, _) in fragments {
        let is_used = on.is_none_or(|on| {
            types.iter().any(|r#type| overlaps(report.subgraph, on, &r#type.name))
        });
        if let (false, Some(on)) = (is_used, on) {
            problems.push(format!("has a fragment on `{on}`, which never applies"));
        }
    }
    problems.sort_unstable();
    problems.dedup();
    problems
}

/// Whether an object may be of both types.
fn overlaps(subgraph: &Subgraph, one: &str, other: &str) -> bool {
    let others = subgraph.objects_of(other);
    one == other || subgraph.objects_of(one).iter().any(|object| others.contains(object))
}

#[derive(Debug)]
struct Context<'c, 's> {
    report: &'c Report<'s>,
    expected: &'c TypeExpression,
}

impl Context<'_, '_> {
    /// Returns what is wrong with the selected field of a type. Recursion is bounded by the parser's
    /// limit.
    fn problem(&self, parent: &Type, selections: &[FieldSetSelection]) -> Option<String> {
        self.problem_below(parent, selections, &|r#type| r#type)
    }

    /// `wrap` makes the type of a field that of the whole selection.
    fn problem_below(
        &self,
        parent: &Type,
        selections: &[FieldSetSelection],
        wrap: &dyn Fn(TypeExpression) -> TypeExpression,
    ) -> Option<String> {
        let [FieldSetSelection::Field { name, selections, .. }] = selections else {
            return Some(format!("selects several fields of `{}`", parent.name));
        };
        if &**name == "__typename" {
            let r#type = TypeExpression::Named { name: "String".into(), is_required: true };
            return self.mismatch(&wrap(r#type));
        }
        let Some(field) = parent.find_field(name) else {
            return Some(format!("selects `{}.{name}`, which does not exist", parent.name));
        };
        let base = field.r#type.base();
        match self.report.reference(base) {
            Reference::Type(r#type) if is_composite(r#type) => {
                if selections.is_empty() {
                    return Some(format!("selects no field of `{}.{name}`", parent.name));
                }
                let wrap = |inner| wrap(nest(&field.r#type, inner));
                self.problem_below(r#type, selections, &wrap)
            }
            Reference::Unknown => None,
            Reference::Type(_) | Reference::Scalar => {
                if !selections.is_empty() {
                    return Some(format!("selects fields of `{}.{name}`, a leaf", parent.name));
                }
                self.mismatch(&wrap(field.r#type.clone()))
            }
        }
    }

    fn mismatch(&self, found: &TypeExpression) -> Option<String> {
        let fits = is_sub_type(self.report.subgraph, found, self.expected);
        (!fits).then(|| format!("has the type `{found}` instead of `{}`", self.expected))
    }
}

/// Returns the type of a field of an object within the lists of the object.
fn nest(outer: &TypeExpression, inner: TypeExpression) -> TypeExpression {
    match outer {
        TypeExpression::List { of, is_required } => {
            TypeExpression::List { of: Box::new(nest(of, inner)), is_required: *is_required }
        }
        TypeExpression::Named { is_required: true, .. } => inner,
        TypeExpression::Named { is_required: false, .. } => match inner {
            TypeExpression::Named { name, .. } => {
                TypeExpression::Named { name, is_required: false }
            }
            TypeExpression::List { of, .. } => TypeExpression::List { of, is_required: false },
        },
    }
}
