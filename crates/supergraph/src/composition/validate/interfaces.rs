//! Implementations of interfaces are complete.
//! <https://spec.graphql.org/draft/#IsValidImplementation()>

use graphql::definitions::TypeExpression;

use super::{Report, item};
use crate::composition::schema::{Composite, Field, Kind, Subgraph, Type};

pub(super) fn check(report: &mut Report<'_>) {
    let subgraph = report.subgraph;
    for r#type in &subgraph.types {
        let Some(composite) = r#type.composite() else { continue };
        for interface in &composite.interfaces {
            let Some(interface) = subgraph.find_type(&interface.name) else { continue };
            let Kind::Interface(declared) = &interface.kind else { continue };
            if interface.name == r#type.name {
                let message = format!("`{}` implements itself.", r#type.name);
                let remedy = "Remove it from its own interfaces.";
                report.invalid(&r#type.name, r#type.at, &message, remedy);
                continue;
            }
            check_ancestors(report, r#type, composite, interface, declared);
            for field in &declared.fields {
                check_field(report, r#type, interface, field);
            }
        }
    }
}

/// A type implements the interfaces of its interfaces.
fn check_ancestors(
    report: &mut Report<'_>,
    r#type: &Type,
    composite: &Composite,
    interface: &Type,
    declared: &Composite,
) {
    let names = |named: &graphql::definitions::Named| named.name.clone();
    let own: Vec<_> = composite.interfaces.iter().map(names).collect();
    for ancestor in declared.interfaces.iter().map(names) {
        let (name, by) = (&r#type.name, &interface.name);
        if ancestor == *name {
            let message = format!("`{name}` and `{by}` implement each other.");
            report.invalid(name, r#type.at, &message, "Remove one from the interfaces.");
        } else if ancestor != *by && !own.contains(&ancestor) {
            let message =
                format!("`{name}` implements `{by}`, but not its interface `{ancestor}`.");
            let remedy = format!("Add `{ancestor}` to the interfaces of `{name}`.");
            report.invalid(name, r#type.at, &message, &remedy);
        } else {
            continue;
        }
        report.also_at(interface.at);
    }
}

fn check_field(report: &mut Report<'_>, r#type: &Type, interface: &Type, declared: &Field) {
    let of = [&*interface.name, ".", &declared.name].concat();
    let own = [&*r#type.name, ".", &declared.name].concat();
    let Some(field) = r#type.find_field(&declared.name) else {
        let message = format!("`{}` lacks the field `{of}` of its interface.", r#type.name);
        let remedy = format!("Add `{}: {}`.", declared.name, declared.r#type);
        report.invalid(&own, r#type.at, &message, &remedy);
        return report.also_at(declared.at);
    };
    if !is_sub_type(report.subgraph, &field.r#type, &declared.r#type) {
        let message = format!(
            "`{own}` has the type `{}`, which is no subtype of `{}`, the type of `{of}`.",
            field.r#type, declared.r#type
        );
        report.invalid(&own, field.at, &message, "Make the types agree.");
        report.also_at(declared.at);
    }
    for argument in &declared.arguments {
        let found = field.arguments.iter().find(|own| own.name == argument.name);
        let problem = match found {
            None => format!("`{own}` lacks the argument `{}` of `{of}`.", argument.name),
            Some(own_argument) if own_argument.r#type != argument.r#type => format!(
                "the argument `{}` of `{own}` has the type `{}` instead of `{}` as of `{of}`.",
                argument.name, own_argument.r#type, argument.r#type
            ),
            Some(_) => continue,
        };
        let at = found.map_or(field.at, |found| found.at);
        let coordinate = format!("{own}({}:)", argument.name);
        let remedy = format!("Declare it as `{}: {}`.", argument.name, argument.r#type);
        report.invalid(&coordinate, at, &problem, &remedy);
        report.also_at(argument.at);
    }
    for argument in field.arguments.iter().filter(|argument| argument.is_required()) {
        if !declared.arguments.iter().any(|known| known.name == argument.name) {
            let coordinate = format!("{own}({}:)", argument.name);
            let message = format!("`{coordinate}` is required, but `{of}` does not have it.");
            let remedy = "Make it nullable, give it a default, or add it to the interface.";
            report.invalid(&coordinate, argument.at, &message, remedy);
            report.also_at(declared.at);
        }
    }
}

/// <https://spec.graphql.org/draft/#IsSubType()>. Recursion is bounded by the parser's limit.
pub(super) fn is_sub_type(
    subgraph: &Subgraph,
    possible: &TypeExpression,
    declared: &TypeExpression,
) -> bool {
    if declared.is_required() && !possible.is_required() {
        return false;
    }
    match (item(possible), item(declared)) {
        (Some(possible), Some(declared)) => is_sub_type(subgraph, possible, declared),
        (None, None) => {
            let (possible, declared) = (possible.base(), declared.base());
            possible == declared || is_member(subgraph, possible, declared)
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// Whether a type is a member of a union, or implements an interface.
fn is_member(subgraph: &Subgraph, possible: &str, declared: &str) -> bool {
    let Some(r#type) = subgraph.find_type(declared) else { return false };
    match &r#type.kind {
        Kind::Union(members) => members.iter().any(|member| *member.name == *possible),
        Kind::Interface(_) => {
            let possible = subgraph.find_type(possible).and_then(Type::composite);
            possible.is_some_and(|possible| {
                possible.interfaces.iter().any(|interface| *interface.name == *declared)
            })
        }
        Kind::Scalar | Kind::Object(_) | Kind::Enum(_) | Kind::Input(_) => false,
    }
}
