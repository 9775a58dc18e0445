//! Types of a remote schema in the API.

use api::binding::{FieldBinding, InputBinding, InputRole, ValueBinding};
use graphql::BUILT_IN_SCALARS;
use hasura_metadata::types::remote_schema::RemoteSchema as Definition;
use hasura_metadata::{Problem, ProblemKind};
use http_resolvers::remote_schema::{RemoteField, RemoteInput, RemoteKind, RemoteSchema};

use super::names::Names;
use super::wrong;
use crate::draft::{Draft, DraftField, DraftInput, DraftValue};

/// The text at fields that a remote schema gives.
pub(super) const GIVEN: &str = "A remote schema gives this.";

/// The text at members of inputs that only a remote schema reads.
pub(super) const TAKEN: &str = "A remote schema takes this.";

/// Checks that the names of the types are free. A scalar may be that of a column.
pub(super) fn check(
    draft: &Draft,
    definition: &Definition,
    schema: &RemoteSchema,
    names: Names<'_>,
) -> Result<(), Vec<Problem>> {
    let mut problems = Vec::new();
    for (own, r#type) in &schema.types {
        let name = names.r#type(own);
        let is_shared = r#type.kind == RemoteKind::Scalar && draft.has_scalar(&name);
        if !names.is_root(own) && draft.has(&name) && !is_shared {
            let message = format!(
                "The remote schema {}: another type of the API has the name {name}; rename this one \
                 by customization.type_names.",
                definition.name.text
            );
            problems.push(wrong(definition, ProblemKind::Duplicate, message));
        }
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems),
    }
}

/// Adds the types but those of the roots, which `add_roots` adds.
pub(super) fn add(draft: &mut Draft, schema: &RemoteSchema, names: Names<'_>) {
    let is_other = |own: &str| !schema.is_root(own);
    for (own, r#type) in schema.types.iter().filter(|(own, _)| is_other(own)) {
        let (name, about) = (names.r#type(own), r#type.description.as_deref());
        let named = |all: &[Box<str>]| all.iter().map(|one| names.r#type(one)).collect();
        match &r#type.kind {
            RemoteKind::Scalar if BUILT_IN_SCALARS.contains(&&*name) => draft.scalar(&name),
            RemoteKind::Scalar => draft.described_scalar(&name, about),
            RemoteKind::Object { fields: all, interfaces } => {
                draft.object(&name, about, fields(own, all, names));
                draft.implement(&name, named(interfaces));
            }
            RemoteKind::Interface { fields: all, interfaces } => {
                draft.interface(&name, about, fields(own, all, names));
                draft.implement(&name, named(interfaces));
            }
            RemoteKind::Union { members } => draft.union(&name, about, named(members)),
            RemoteKind::Enum { values } => {
                let values = values.iter().map(|value| {
                    let binding = ValueBinding::Label(value.name.clone());
                    let made = DraftValue::bare(&value.name, binding).verbatim();
                    let made = made.described_by(value.description.as_deref());
                    made.deprecated_for(value.deprecated.as_deref())
                });
                draft.values(&name, about, values.collect());
            }
            RemoteKind::Input { fields } => {
                let members = fields.iter().map(|field| taken(field, names));
                draft.input(&name, about, members.collect());
            }
        }
    }
}

fn fields(parent: &str, fields: &[RemoteField], names: Names<'_>) -> Vec<DraftField> {
    // The roots of the API are other objects than those of the server.
    let made = fields.iter().filter(|field| !names.is_root(&field.r#type.name)).map(|field| {
        let r#type = field.r#type.named(&names.r#type(&field.r#type.name));
        let binding = FieldBinding::Refused(GIVEN.into());
        let arguments = field.arguments.iter().map(|argument| taken(argument, names));
        DraftField::new(&names.field(parent, &field.name), r#type, binding)
            .verbatim()
            .described_by(field.description.as_deref())
            .deprecated_for(field.deprecated.as_deref())
            .with(arguments.collect())
    });
    made.collect()
}

/// An input that only the server reads.
fn taken(one: &RemoteInput, names: Names<'_>) -> DraftInput {
    input(one, names, InputRole::Refused(TAKEN.into()))
}

/// An argument, or a member of an input.
pub(super) fn input(input: &RemoteInput, names: Names<'_>, role: InputRole) -> DraftInput {
    let r#type = input.r#type.named(&names.r#type(&input.r#type.name));
    let binding = InputBinding::lenient(role);
    let made = DraftInput::new(&input.name, r#type, binding).verbatim();
    let made = made.described_by(input.description.as_deref());
    match &input.default {
        Some(default) => made.or(default.clone()),
        None => made,
    }
}
