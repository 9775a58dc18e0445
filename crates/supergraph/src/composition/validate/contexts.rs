//! `@context` and `@fromContext`.
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/entities/use-contexts>

use graphql::definitions::Literal;

use super::interface_keys::is_resolvable;
use super::{Report, context_selections};
use crate::composition::Code;
use crate::composition::roles::{context_types, split_context};
use crate::composition::schema::{Applied, At, Field, Input, Kind, Type, all, find};
use crate::composition::specifications::{Directive, Meaning};

const CONTEXT: Meaning = Meaning::Merged(Directive::Context);

pub(super) fn check(report: &mut Report<'_>) {
    let subgraph = report.subgraph;
    for r#type in &subgraph.types {
        for context in all(&r#type.applied, CONTEXT) {
            if let Some(name) = context.text("name") {
                check_name(report, &r#type.name, name, context.at());
            }
        }
        let mut is_contextual = false;
        for field in r#type.fields() {
            for argument in &field.arguments {
                if let Some(source) = find(&argument.applied, Meaning::FromContext) {
                    is_contextual = true;
                    check_argument(report, r#type, field, argument, source);
                }
            }
        }
        let mut keys = all(&r#type.applied, Meaning::Key);
        if is_contextual && !keys.any(is_resolvable) && !matches!(r#type.kind, Kind::Interface(_)) {
            let message =
                format!("`{}` has an argument from a context, but no resolvable key.", r#type.name);
            let remedy = "Add a `@key`: gateways fetch the object by it with the value.";
            report.add(Code::ContextNoResolvableKey, &r#type.name, r#type.at, &message, remedy);
        }
    }
    check_directives(report);
}

/// Arguments of directives have no context.
fn check_directives(report: &mut Report<'_>) {
    let subgraph = report.subgraph;
    for directive in &subgraph.directives {
        for argument in &directive.arguments {
            let mut applied = argument.directives.iter();
            let meaning = |name: &str| subgraph.links.meaning(name);
            if applied.any(|applied| meaning(&applied.name) == Meaning::FromContext) {
                let coordinate = format!("@{}({}:)", directive.name, argument.name);
                let at = At { line: argument.line, column: argument.column };
                let message = format!("the argument `{coordinate}` of a directive is contextual.");
                report.add(
                    Code::ContextNotSet,
                    &coordinate,
                    at,
                    &message,
                    "Remove `@fromContext`.",
                );
            }
        }
    }
}

fn check_name(report: &mut Report<'_>, coordinate: &str, name: &str, at: At) {
    let is_valid = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric());
    if !is_valid {
        let message = format!("the context `{name}` has an invalid name.");
        let remedy = "Use letters and digits, first a letter.";
        report.add(Code::ContextNameInvalid, coordinate, at, &message, remedy);
    }
}

fn check_argument(
    report: &mut Report<'_>,
    r#type: &Type,
    field: &Field,
    argument: &Input,
    source: &Applied,
) {
    let field_name = [&*r#type.name, ".", &field.name].concat();
    let coordinate = format!("{field_name}({}:)", argument.name);
    let at = source.at();
    let misplaced = if let Kind::Interface(_) = r#type.kind {
        Some(format!("the argument `{coordinate}` of an interface is contextual."))
    } else if let Some(interface) = find_interface(report, r#type, &field.name) {
        Some(format!(
            "the argument `{coordinate}` is contextual, but the interface `{interface}` declares \
             the field."
        ))
    } else if argument.default.is_some() {
        Some(format!("the contextual argument `{coordinate}` has a default."))
    } else {
        None
    };
    if let Some(message) = misplaced {
        let remedy = "Use contexts for arguments without default, of fields that no interface has.";
        return report.add(Code::ContextNotSet, &coordinate, at, &message, remedy);
    }
    let text = match source.argument("field") {
        Some(Literal::String(text)) => &**text,
        _ => "",
    };
    let split = split_context(text).filter(|(_, selection)| !selection.trim().is_empty());
    let Some((context, selection)) = split else {
        let message = format!("the context of the argument `{coordinate}` is not named: `{text}`.");
        let remedy = "Write it as `@fromContext(field: \"$context { field }\")`.";
        return report.add(Code::NoContextInSelection, &coordinate, at, &message, remedy);
    };
    let types: Vec<_> = context_types(report.subgraph, context).collect();
    if types.is_empty() {
        let message = format!(
            "the argument `{coordinate}` uses the context `{context}`, which no type of the \
             subgraph sets."
        );
        let remedy = format!("Add `@context(name: \"{context}\")` to a type above the field.");
        return report.add(Code::ContextNotSet, &coordinate, at, &message, &remedy);
    }
    if let Some(object) = types.iter().find(|r#type| r#type.is_interface_object()) {
        let message = format!(
            "the context `{context}` of the argument `{coordinate}` is set by the interface object \
             `{}`.",
            object.name
        );
        let remedy =
            "Set the context on another type: the objects of the interface are not known here.";
        return report.add(Code::ContextInvalidSelection, &coordinate, at, &message, remedy);
    }
    for problem in context_selections::problems(report, &types, selection, &argument.r#type) {
        let message =
            format!("the selection of `{context}` for the argument `{coordinate}` {problem}.");
        let remedy = "Select one field of each type that sets the context, of the argument's type.";
        report.add(Code::ContextInvalidSelection, &coordinate, at, &message, remedy);
    }
}

/// Returns the interface of a type that declares a field.
fn find_interface(report: &Report<'_>, r#type: &Type, field: &str) -> Option<String> {
    let interfaces = r#type.composite().map_or(&[][..], |composite| &composite.interfaces);
    let mut names = interfaces.iter().map(|interface| &interface.name);
    let found = names.find(|name| report.subgraph.find_field(name, field).is_some())?;
    Some(found.as_ref().to_owned())
}
