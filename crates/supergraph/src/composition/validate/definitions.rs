//! A schema may define the directives and types of Federation itself, with the specified form.

use graphql::BUILT_IN_SCALARS;
use graphql::definitions::{
    Definitions, DirectiveDefinition, InputDefinition, Literal, TypeBody, TypeDefinition,
    TypeExpression,
};

use super::specified::Specified;
use super::{Reference, Report};
use crate::composition::Code;
use crate::composition::schema::{At, Kind};
use crate::composition::specifications::Meaning;

/// Prefixes of the types of specifications.
const SPECIFIED: [&str; 2] = ["federation__", "link__"];

/// Replaces specified definitions by those of the schema, which may allow less. Where these are wrong,
/// there is none: the uses are consequences.
pub(super) fn check(report: &mut Report<'_>, written: &Definitions, specified: &mut Specified) {
    for definition in &written.directives {
        let meaning = report.subgraph.links.meaning(&definition.name);
        let Some(known) = specified.get(&meaning) else { continue };
        if let Meaning::Merged(merged) = meaning
            && merged.specification().is_none()
        {
            // GraphQL's own directives may have any definition.
            specified.insert(meaning, definition.clone());
            continue;
        }
        let problem = find_problem(report, definition, known);
        if problem.is_none() {
            specified.insert(meaning, definition.clone());
        }
        if let Some(problem) = problem {
            let name = format!("@{}", definition.name);
            let message = format!("the definition of `{name}` {problem}.");
            let at = At { line: definition.line, column: definition.column };
            let remedy = "Remove the definition: the link of Federation defines the directive.";
            report.add(Code::DirectiveDefinitionInvalid, &name, at, &message, remedy);
            specified.remove(&meaning);
        }
    }
    for definition in &written.types {
        check_type(report, definition);
    }
}

/// Returns what differs from the specified definition. Fewer arguments and locations are allowed.
fn find_problem(
    report: &Report<'_>,
    written: &DirectiveDefinition,
    known: &DirectiveDefinition,
) -> Option<String> {
    let find = |all: &[InputDefinition], name: &str| {
        all.iter().find(|argument| *argument.name == *name).cloned()
    };
    for argument in &written.arguments {
        let name = &argument.name;
        match find(&known.arguments, name) {
            None => return Some(format!("has an argument `{name}`, which it must not have")),
            Some(known) if !is_allowed(report, &argument.r#type, &known.r#type) => {
                return Some(format!(
                    "has an argument `{name}` of type `{}` instead of `{}`",
                    argument.r#type, known.r#type
                ));
            }
            Some(known) if argument.default != known.default => {
                let default = |default: &Option<Literal>| match default {
                    Some(value) => format!("the default `{value}`"),
                    None => "no default".to_owned(),
                };
                let (own, known) = (default(&argument.default), default(&known.default));
                return Some(format!("has an argument `{name}` with {own} instead of {known}"));
            }
            Some(_) => {}
        }
    }
    for argument in known.arguments.iter().filter(|argument| argument.r#type.is_required()) {
        if find(&written.arguments, &argument.name).is_none() {
            return Some(format!("lacks the argument `{}`", argument.name));
        }
    }
    if written.is_repeatable && !known.is_repeatable {
        return Some("is repeatable".to_owned());
    }
    let mut locations = written.locations.iter();
    let other = locations.find(|location| !known.locations.contains(location))?;
    Some(format!("has the location `{other}`"))
}

/// Whether an argument may have a type: the specified one, or the same without null; instead of a
/// scalar of Federation also every type but another scalar of the schema.
fn is_allowed(report: &Report<'_>, written: &TypeExpression, known: &TypeExpression) -> bool {
    if known.is_required() && !written.is_required() {
        return false;
    }
    match (written, known) {
        (TypeExpression::List { of: written, .. }, TypeExpression::List { of: known, .. }) => {
            is_allowed(report, written, known)
        }
        (
            TypeExpression::Named { name: written, .. },
            TypeExpression::Named { name: known, .. },
        ) if is_specified(known) => {
            report.subgraph.links.is_called(written, known) || !is_custom_scalar(report, written)
        }
        (TypeExpression::List { .. }, TypeExpression::Named { name: known, .. }) => {
            is_specified(known)
        }
        (
            TypeExpression::Named { name: written, .. },
            TypeExpression::Named { name: known, .. },
        ) => written == known,
        (TypeExpression::Named { .. }, TypeExpression::List { .. }) => false,
    }
}

fn is_specified(name: &str) -> bool {
    SPECIFIED.iter().any(|prefix| name.starts_with(prefix))
}

fn is_custom_scalar(report: &Report<'_>, name: &str) -> bool {
    match report.reference(name) {
        Reference::Type(r#type) => matches!(r#type.kind, Kind::Scalar),
        Reference::Scalar => !BUILT_IN_SCALARS.contains(&name),
        Reference::Unknown => false,
    }
}

fn check_type(report: &mut Report<'_>, definition: &TypeDefinition) {
    if !report.subgraph.links.is_specification_type(&definition.name) {
        return;
    }
    let name = &*definition.name;
    let own = name.rsplit("__").next().unwrap_or(name);
    let problem = match (own, &definition.body) {
        ("_Entity", TypeBody::Union(_)) | ("_Service", TypeBody::Object(_)) => return,
        ("_Entity", _) => "must be a union",
        ("_Service", _) => "must be an object type",
        ("Purpose", TypeBody::Enum(values)) => {
            let is_known = |name: &str| matches!(name, "SECURITY" | "EXECUTION");
            if values.iter().all(|value| is_known(&value.name)) && values.len() == 2 {
                return;
            }
            "must have the values `SECURITY` and `EXECUTION`"
        }
        ("Purpose", _) => "must be an enum",
        (
            "_Any" | "_FieldSet" | "FieldSet" | "Scope" | "Policy" | "ContextFieldValue" | "Import",
            body,
        ) if !matches!(body, TypeBody::Scalar) => "must be a scalar",
        _ => return,
    };
    let at = At { line: definition.line, column: definition.column };
    let message = format!("the type `{name}` of a specification {problem}.");
    let remedy = "Remove the definition: the link of the specification defines the type.";
    report.add(Code::TypeDefinitionInvalid, name, at, &message, remedy);
}
