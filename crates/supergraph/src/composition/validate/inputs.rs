//! Inputs: their defaults have their types, and no input object requires itself.
//! <https://spec.graphql.org/draft/#sec-Input-Objects>

use std::sync::Arc;

use graphql::definitions::TypeExpression;
use rustc_hash::FxHashSet;

use super::{Report, literals};
use crate::composition::schema::{At, Input, Kind, Subgraph};

pub(super) fn check(report: &mut Report<'_>) {
    let subgraph = report.subgraph;
    for r#type in &subgraph.types {
        let name = &*r#type.name;
        for field in r#type.fields() {
            for argument in &field.arguments {
                let coordinate = format!("{name}.{}({}:)", field.name, argument.name);
                check_default(report, &coordinate, argument);
            }
        }
        if let Kind::Input(inputs) = &r#type.kind {
            for input in inputs {
                check_default(report, &[name, ".", &input.name].concat(), input);
            }
        }
    }
    for directive in &subgraph.directives {
        for argument in &directive.arguments {
            if let Some(default) = &argument.default
                && !literals::fits(report, default, &argument.r#type)
            {
                let coordinate = format!("@{}({}:)", directive.name, argument.name);
                let at = At { line: argument.line, column: argument.column };
                wrong_default(report, &coordinate, &argument.r#type, at);
            }
        }
    }
    check_circles(report);
}

fn check_default(report: &mut Report<'_>, coordinate: &str, input: &Input) {
    if let Some(default) = &input.default
        && !literals::fits(report, default, &input.r#type)
    {
        wrong_default(report, coordinate, &input.r#type, input.at);
    }
}

fn wrong_default(report: &mut Report<'_>, coordinate: &str, r#type: &TypeExpression, at: At) {
    let message = format!("the default of `{coordinate}` is no value of its type `{type}`.");
    report.invalid(coordinate, at, &message, "Correct the default, or remove it.");
}

/// Finds input objects that require a value of themselves, each circle once.
fn check_circles(report: &mut Report<'_>) {
    let subgraph = report.subgraph;
    let mut done: FxHashSet<Arc<str>> = FxHashSet::default();
    for r#type in &subgraph.types {
        // A path of required fields from the type; each step has the fields that are not tried yet.
        let mut path: Vec<(Arc<str>, Vec<&Input>)> = Vec::new();
        if done.contains(&r#type.name) {
            continue;
        }
        path.push((r#type.name.clone(), required(subgraph, &r#type.name)));
        while let Some((name, rest)) = path.last_mut() {
            let Some(input) = rest.pop() else {
                done.insert(name.clone());
                path.pop();
                continue;
            };
            let parent = name.clone();
            let next = input.r#type.base();
            if path.iter().any(|(name, _)| name == next) {
                let coordinate = [&*parent, ".", &input.name].concat();
                let message = format!(
                    "`{coordinate}` requires a `{next}`, which requires a `{parent}`: no value ends."
                );
                let message = match parent == *next {
                    true => format!("`{coordinate}` requires a `{next}` itself: no value ends."),
                    false => message,
                };
                report.invalid(&coordinate, input.at, &message, "Make one of the fields nullable.");
            } else if !done.contains(next) {
                path.push((next.clone(), required(subgraph, next)));
            }
        }
    }
}

/// Returns the fields of an input object that require a single value of another.
fn required<'s>(subgraph: &'s Subgraph, name: &str) -> Vec<&'s Input> {
    let Some(Kind::Input(inputs)) = subgraph.find_type(name).map(|r#type| &r#type.kind) else {
        return Vec::new();
    };
    let is_required =
        |input: &&Input| matches!(input.r#type, TypeExpression::Named { is_required: true, .. });
    inputs.iter().filter(is_required).collect()
}
