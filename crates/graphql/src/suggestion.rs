//! "Did you mean …?" for unknown names, as in graphql-js.

use crate::schema::{TypeId, TypeKind};
use crate::visibility::View;

/// Limit of suggested names, as in graphql-js.
const MAX_SUGGESTIONS: usize = 5;

/// Limit of a name's length: comparing costs the product of both lengths.
const MAX_NAME_LENGTH: usize = 128;

/// The most similar names, best first.
///
/// As in graphql-js: the optimal string alignment distance, case-insensitive, of at most two fifths
/// of the name's length and one more.
#[must_use]
pub fn similar_names<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    if name.len() > MAX_NAME_LENGTH {
        return Vec::new();
    }
    let threshold = name.chars().count() * 2 / 5 + 1;
    let lower = name.to_lowercase();
    let mut similar: Vec<(usize, &str)> = Vec::new();
    for candidate in known {
        if candidate.len().abs_diff(name.len()) > threshold {
            continue;
        }
        let candidate_lower = candidate.to_lowercase();
        let distance = match candidate_lower == lower {
            true => usize::from(candidate != name),
            false => strsim::osa_distance(&lower, &candidate_lower),
        };
        if distance <= threshold {
            similar.push((distance, candidate));
        }
    }
    similar.sort_unstable();
    similar.truncate(MAX_SUGGESTIONS);
    similar.into_iter().map(|(_, name)| name).collect()
}

/// ` Did you mean "a", "b", or "c"?`, after a word for them such as `the enum value `; empty
/// without names.
pub(crate) fn did_you_mean(kind: &str, names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let listed = match quoted.as_slice() {
        [] => return String::new(),
        [only] => only.clone(),
        [one, other] => format!("{one} or {other}"),
        [first @ .., last] => format!("{}, or {last}", first.join(", ")),
    };
    format!(" Did you mean {kind}{listed}?")
}

pub(crate) fn of_enum_values(schema: View<'_>, id: TypeId, name: &str) -> String {
    let TypeKind::Enum { values } = &schema.whole[id].kind else { return String::new() };
    let known = schema.values(values).map(|value| &*schema.whole[value].name);
    did_you_mean("the enum value ", &similar_names(name, known))
}

pub(crate) fn of_input_fields(schema: View<'_>, id: TypeId, name: &str) -> String {
    let TypeKind::InputObject { fields } = &schema.whole[id].kind else { return String::new() };
    let known = schema.inputs(fields).map(|field| &*schema.whole[field].name);
    did_you_mean("", &similar_names(name, known))
}

/// The suggestion for a validation error, by its message; empty for an error that is not about a
/// name.
///
/// The validator's errors have no other public form than their message in the words of graphql-js,
/// where each name is quoted.
pub(crate) fn of_message(schema: View<'_>, message: &str) -> String {
    let mut quoted = message.split('"').skip(1).step_by(2);
    let (Some(first), second) = (quoted.next(), quoted.next()) else { return String::new() };
    let owner = || schema.find_type(second?);
    if message.starts_with("Cannot query field ") {
        return owner().map(|owner| of_fields(schema, owner, first)).unwrap_or_default();
    }
    if message.starts_with("Unknown argument ") {
        return second.map(|place| of_arguments(schema, place, first)).unwrap_or_default();
    }
    if message.starts_with("Unknown type ") {
        let known = schema.types().map(|(_, definition)| &*definition.name);
        return did_you_mean("", &similar_names(first, known));
    }
    if message.starts_with("Value ") && message.ends_with(" enum.") {
        return owner().map(|owner| of_enum_values(schema, owner, first)).unwrap_or_default();
    }
    if message.starts_with("Field ") && message.contains(" is not defined by type ") {
        return owner().map(|owner| of_input_fields(schema, owner, first)).unwrap_or_default();
    }
    if let Some(name) =
        first.strip_prefix('@').filter(|_| message.starts_with("Unknown directive "))
    {
        let own = schema.whole.directives.iter().map(|directive| &*directive.name);
        let known = ["skip", "include", "deprecated", "specifiedBy"].into_iter().chain(own);
        let similar = similar_names(name, known);
        let named: Vec<String> = similar.iter().map(|name| format!("@{name}")).collect();
        let named: Vec<&str> = named.iter().map(String::as_str).collect();
        return did_you_mean("", &named);
    }
    String::new()
}

/// Types with the field, where the owner is abstract and some of its types have it; otherwise
/// similar fields of the owner.
fn of_fields(schema: View<'_>, owner: TypeId, name: &str) -> String {
    let fields = match &schema.whole[owner].kind {
        TypeKind::Object { fields, .. } => fields.as_slice(),
        TypeKind::Interface { fields, .. } => {
            let having = possible_types_with(schema, owner, name);
            if !having.is_empty() {
                return did_you_mean("to use an inline fragment on ", &having);
            }
            fields.as_slice()
        }
        TypeKind::Union { .. } => {
            let having = possible_types_with(schema, owner, name);
            return did_you_mean("to use an inline fragment on ", &having);
        }
        TypeKind::Scalar | TypeKind::Enum { .. } | TypeKind::InputObject { .. } => {
            return String::new();
        }
    };
    let known = schema.fields(fields).map(|field| &*schema.whole[field].name);
    did_you_mean("", &similar_names(name, known))
}

/// The possible types of the abstract type that have the field.
fn possible_types_with<'s>(schema: View<'s>, owner: TypeId, field: &str) -> Vec<&'s str> {
    let is_possible = |id: TypeId| match (&schema[owner].kind, &schema[id].kind) {
        (TypeKind::Interface { .. }, TypeKind::Object { interfaces, .. }) => {
            interfaces.contains(&owner)
        }
        (TypeKind::Union { members }, TypeKind::Object { .. }) => members.contains(&id),
        _ => false,
    };
    let having = schema.types().filter(|(id, _)| is_possible(*id));
    let having = having.filter(|(id, _)| schema.find_field(*id, field).is_some());
    having.take(MAX_SUGGESTIONS).map(|(_, definition)| &*definition.name).collect()
}

/// The arguments of `Type.field`, or of `@directive`.
fn of_arguments(schema: View<'_>, place: &str, name: &str) -> String {
    let arguments = match (place.strip_prefix('@'), place.split_once('.')) {
        (Some(directive), _) => schema.find_directive(directive).map(|found| &found.arguments),
        (None, Some((owner, field))) => schema
            .find_type(owner)
            .and_then(|owner| schema.find_field(owner, field))
            .map(|field| &schema.whole[field].arguments),
        (None, None) => None,
    };
    let known = schema.inputs(arguments.map_or(&[], Vec::as_slice));
    let known = known.map(|argument| &*schema.whole[argument].name);
    did_you_mean("", &similar_names(name, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_suggested_as_by_graphql_js() {
        let check = |name: &str, known: &[&str], expected: &[&str]| {
            assert_eq!(similar_names(name, known.iter().copied()), expected, "{name}");
        };
        check("", &["a"], &["a"]);
        check("input", &[], &[]);
        check("greenish", &["green"], &["green"]);
        check("green", &["greenish"], &["greenish"]);
        check("verylongstring", &["VERYLONGSTRING"], &["VERYLONGSTRING"]);
        check("verylongstring", &["VERYLONGSTRING "], &["VERYLONGSTRING "]);
        check("input", &["unrelated"], &[]);
        check("abc", &["a", "ab", "abc"], &["abc", "ab", "a"]);
        check("acb", &["abc"], &["abc"]);
        check("a", &["az", "ax", "ay"], &["ax", "ay", "az"]);
        check(&"a".repeat(200), &[&"a".repeat(199)], &[]);
    }

    #[test]
    fn names_are_listed_with_or() {
        let check = |names: &[&str], expected: &str| assert_eq!(did_you_mean("", names), expected);
        check(&[], "");
        check(&["a"], " Did you mean \"a\"?");
        check(&["a", "b"], " Did you mean \"a\" or \"b\"?");
        check(&["a", "b", "c"], " Did you mean \"a\", \"b\", or \"c\"?");
    }
}
