//! Selected fields as the selection set of a request to a GraphQL server.
//!
//! Servers may compare documents as texts, so their form is that of Dgraph: a field a line, and an
//! alias only where a field is selected several times.

use crate::projection::{Member, ObjectProjection, ProjectedArgument, ProjectedField, Projection};
use crate::related_field::key_alias;

/// Makes a variable of an argument that has no literal, and returns its name.
pub(crate) type MakeVariable<'v> = &'v mut dyn FnMut(&ProjectedArgument) -> String;

/// Writes the selection set; nothing for values without fields.
///
/// Recursion is bounded: validation limits the depth of selections.
pub(crate) fn write(projection: &Projection, text: &mut String, variable: MakeVariable<'_>) {
    let objects = projection.objects();
    let [first, others @ ..] = objects else { return };
    text.push_str("{\n");
    if others.iter().all(|other| other.fields == first.fields) {
        let is_abstract = !others.is_empty();
        if first.fields.is_empty() || is_abstract && !first.selects_typename() {
            text.push_str("__typename\n");
        }
        write_fields(first, text, variable);
    } else {
        text.push_str("__typename\n");
        for object in objects.iter().filter(|object| !object.fields.is_empty()) {
            text.push_str("... on ");
            text.push_str(&object.remote_type);
            text.push_str("{\n");
            write_fields(object, text, variable);
            text.push_str("}\n");
        }
    }
    text.push('}');
}

fn write_fields(object: &ObjectProjection, text: &mut String, variable: MakeVariable<'_>) {
    let mut keys: Vec<&str> = Vec::new();
    for field in &object.fields {
        if let Member::Related { related, .. } = &field.member {
            for member in related.members() {
                if !keys.contains(&member) {
                    keys.push(member);
                    text.extend([&*key_alias(member), ": ", member, "\n"]);
                }
            }
        }
        match &field.member {
            Member::Related { .. } => continue,
            Member::Typename => text.push_str("__typename"),
            Member::Field { remote, .. } => {
                if let Some(alias) = alias(object, field) {
                    text.push_str(alias);
                    text.push_str(": ");
                }
                text.push_str(remote);
            }
        }
        for (idx, argument) in field.arguments.iter().enumerate() {
            text.push_str(if idx == 0 { "(" } else { ", " });
            text.extend([&*argument.name, ": "]);
            match &argument.literal {
                Some(literal) => text.push_str(literal),
                None => text.extend(["$", &variable(argument)]),
            }
        }
        if !field.arguments.is_empty() {
            text.push(')');
        }
        write(&field.projection, text, variable);
        text.push('\n');
    }
}

/// The alias of a field that is selected several times.
pub(crate) fn alias<'p>(object: &ObjectProjection, field: &'p ProjectedField) -> Option<&'p str> {
    let Member::Field { remote, .. } = &field.member else { return None };
    let is_same = |other: &&ProjectedField| match &other.member {
        Member::Field { remote: other, .. } => other == remote,
        Member::Typename | Member::Related { .. } => false,
    };
    let is_first = object.fields.iter().find(is_same) == Some(field);
    (!is_first && *remote != field.response_name).then_some(&*field.response_name)
}
