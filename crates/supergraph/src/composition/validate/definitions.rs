//! A schema may define the directives and types of Federation itself, with the specified form.

use graphql::definitions::{
    Definitions, DirectiveDefinition, InputDefinition, TypeBody, TypeDefinition, TypeExpression,
};

use super::Report;
use super::specified::Specified;
use crate::composition::Code;
use crate::composition::schema::At;
use crate::composition::specifications::Meaning;

/// Prefixes of the types of specifications; a definition may have another type in their location, such as
/// `String`.
const SPECIFIED: [&str; 2] = ["federation__", "link__"];

/// Removes the specified definitions whose own definitions are wrong: their uses are consequences.
pub(super) fn check(report: &mut Report<'_>, written: &Definitions, specified: &mut Specified) {
    for definition in &written.directives {
        let meaning = report.subgraph.links.meaning(&definition.name);
        if let Meaning::Merged(merged) = meaning
            && merged.specification().is_none()
        {
            // Definitions of GraphQL's own directives have no effect.
            continue;
        }
        if let Some(known) = specified.get(&meaning)
            && let Some(problem) = find_problem(definition, known)
        {
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
fn find_problem(written: &DirectiveDefinition, known: &DirectiveDefinition) -> Option<String> {
    let find = |all: &[InputDefinition], name: &str| {
        all.iter().find(|argument| *argument.name == *name).cloned()
    };
    for argument in &written.arguments {
        let name = &argument.name;
        match find(&known.arguments, name) {
            None => return Some(format!("has an argument `{name}`, which it must not have")),
            Some(known) if !is_allowed(&argument.r#type, &known.r#type) => {
                return Some(format!(
                    "has an argument `{name}` of type `{}` instead of `{}`",
                    argument.r#type, known.r#type
                ));
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

/// Whether an argument may have a type: the specified one, or the same without null.
fn is_allowed(written: &TypeExpression, known: &TypeExpression) -> bool {
    if known.is_required() && !written.is_required() {
        return false;
    }
    match (written, known) {
        (TypeExpression::List { of: written, .. }, TypeExpression::List { of: known, .. }) => {
            is_allowed(written, known)
        }
        (
            TypeExpression::Named { name: written, .. },
            TypeExpression::Named { name: known, .. },
        ) => written == known || SPECIFIED.iter().any(|prefix| known.starts_with(prefix)),
        (_, TypeExpression::Named { .. } | TypeExpression::List { .. }) => false,
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
