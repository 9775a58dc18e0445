//! Types of a remote schema in the API.

use api::binding::{FieldBinding, InputBinding, InputRole, ValueBinding};
use graphql::BUILT_IN_SCALARS;
use hasura_metadata::{Problem, ProblemKind};
use http_resolvers::remote_schema::{
    RemoteField, RemoteInput, RemoteKind, RemoteTypeText, RemoteValue,
};

use super::names::Names;
use super::{ServedSchema, wrong};
use crate::draft::{Draft, DraftField, DraftInput, DraftValue};
use crate::key_queries::is_root_field;

/// The binding of a field that a remote schema gives. Positions have texts of their own, so that no
/// two of them are one in the API: a role may see one and not the other.
pub(super) fn given(object: &str, field: &str) -> FieldBinding {
    FieldBinding::Refused(format!("A remote schema gives {object}.{field}.").into())
}

/// The same of an input that only a remote schema reads: `of` is the field or the type.
pub(super) fn taken(of: &str, input: &str) -> InputBinding {
    InputBinding::lenient(InputRole::Refused(format!("A remote schema takes {of}.{input}.").into()))
}

/// Checks that the names of the types are free. A scalar may be that of a column, and remote schemas
/// may have equal types in common.
pub(super) fn check(
    draft: &Draft,
    served: &ServedSchema<'_>,
    others: &[ServedSchema<'_>],
) -> Result<(), Vec<Problem>> {
    let ServedSchema { definition, names, source, .. } = served;
    let mut problems = Vec::new();
    for (own, r#type) in served.visible_types() {
        let name = names.r#type(own);
        let is_shared = match (&r#type.kind, source) {
            (RemoteKind::Scalar, _) => draft.has_scalar(&name),
            // Rows of two sources are never one type.
            (RemoteKind::Object { .. }, Some(_)) => false,
            (_, Some(_)) => draft.has_equal(&name, &r#type.kind),
            (_, None) => false,
        };
        let is_shared = is_shared
            || source.is_none() && others.iter().any(|other| is_equal((served, own), other));
        if !names.is_root(own) && draft.has(&name) && !is_shared {
            let remedy = match source {
                Some(_) => "customization.type_names of the source, such as `prefix: other_`",
                None => "customization.type_names, such as `prefix: other_`",
            };
            let message = format!(
                "The {}: another type of the API has the name {name}; rename this one by {remedy}.",
                served.subject()
            );
            problems.push(wrong(definition, ProblemKind::Duplicate, message));
        }
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems),
    }
}

/// True if another remote schema has a type of this name, with the same members by the same names.
fn is_equal((served, own): (&ServedSchema<'_>, &str), other: &ServedSchema<'_>) -> bool {
    let known = (served.schema.types.get(own), other.schema.types.get(own));
    let (Some(first), Some(second)) = known else { return false };
    let named =
        |of: &ServedSchema<'_>, text: &RemoteTypeText| text.named(&of.names.r#type(&text.name));
    let all_named = |of: &ServedSchema<'_>, all: &[Box<str>]| {
        let mut names: Vec<_> = all.iter().map(|one| of.names.r#type(one)).collect();
        names.sort_unstable();
        names
    };
    let inputs = |of: &ServedSchema<'_>, inputs: &[RemoteInput]| {
        let input = |one: &RemoteInput| {
            let default = one.default.as_ref().map(graphql::print_const);
            (one.name.clone(), named(of, &one.r#type), default)
        };
        let mut inputs: Vec<_> = inputs.iter().map(input).collect();
        inputs.sort_unstable();
        inputs
    };
    let fields = |of: &ServedSchema<'_>, fields: &[RemoteField]| {
        let field = |one: &RemoteField| {
            let known = of.names.field(own, &one.name);
            (one.name.clone(), known, named(of, &one.r#type), inputs(of, &one.arguments))
        };
        let mut fields: Vec<_> = fields.iter().map(field).collect();
        fields.sort_unstable();
        fields
    };
    let is_kind_equal = match (&first.kind, &second.kind) {
        (RemoteKind::Scalar, RemoteKind::Scalar) => true,
        (
            RemoteKind::Object { fields: one, interfaces: of_one },
            RemoteKind::Object { fields: two, interfaces: of_two },
        )
        | (
            RemoteKind::Interface { fields: one, interfaces: of_one },
            RemoteKind::Interface { fields: two, interfaces: of_two },
        ) => {
            all_named(served, of_one) == all_named(other, of_two)
                && fields(served, one) == fields(other, two)
        }
        (RemoteKind::Union { members: one }, RemoteKind::Union { members: two }) => {
            all_named(served, one) == all_named(other, two)
        }
        (RemoteKind::Enum { values: one }, RemoteKind::Enum { values: two }) => {
            let names = |values: &[RemoteValue]| {
                let mut names: Vec<_> = values.iter().map(|value| value.name.clone()).collect();
                names.sort_unstable();
                names
            };
            names(one) == names(two)
        }
        (RemoteKind::Input { fields: one }, RemoteKind::Input { fields: two }) => {
            inputs(served, one) == inputs(other, two)
        }
        _ => false,
    };
    is_kind_equal
        && !served.schema.is_root(own)
        && !other.schema.is_root(own)
        && served.names.r#type(own) == other.names.r#type(own)
}

/// Adds the types but those of the roots, which `add_roots` adds.
pub(super) fn add(draft: &mut Draft, served: &ServedSchema<'_>) {
    let (schema, names) = (served.schema, served.names);
    let fields = |own: &str, all: &[RemoteField]| {
        // A namespace has the fields that only relationships from other sources need.
        let is_hidden = |field: &RemoteField| served.source.is_some() && is_root_field(&field.name);
        fields(own, all.iter().filter(|field| !is_hidden(field)), names)
    };
    let is_other = |own: &str| !schema.is_root(own);
    for (own, r#type) in served.visible_types().filter(|(own, _)| is_other(own)) {
        let (name, about) = (names.r#type(own), r#type.description.as_deref());
        // Another remote schema has the same type.
        if r#type.kind != RemoteKind::Scalar && draft.has(&name) {
            continue;
        }
        let named = |all: &[Box<str>]| all.iter().map(|one| names.r#type(one)).collect();
        match &r#type.kind {
            RemoteKind::Scalar if BUILT_IN_SCALARS.contains(&&*name) => draft.scalar(&name),
            RemoteKind::Scalar => draft.described_scalar(&name, about),
            RemoteKind::Object { fields: all, interfaces } => {
                draft.object(&name, about, fields(own, all));
                draft.implement(&name, named(interfaces));
            }
            RemoteKind::Interface { fields: all, interfaces } => {
                draft.interface(&name, about, fields(own, all));
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
                let members = fields.iter().map(|field| input(field, names, &name));
                draft.input(&name, about, members.collect());
            }
        }
    }
}

fn fields<'f>(
    parent: &str,
    fields: impl Iterator<Item = &'f RemoteField>,
    names: Names<'_>,
) -> Vec<DraftField> {
    // The roots of the API are other objects than those of the server.
    let made = fields.filter(|field| !names.is_root(&field.r#type.name)).map(|field| {
        let r#type = field.r#type.named(&names.r#type(&field.r#type.name));
        let (object, known) = (names.r#type(parent), names.field(parent, &field.name));
        let of = format!("{object}.{known}");
        let arguments = field.arguments.iter().map(|argument| input(argument, names, &of));
        DraftField::new(&known, r#type, given(&object, &known))
            .verbatim()
            .described_by(field.description.as_deref())
            .deprecated_for(field.deprecated.as_deref())
            .with(arguments.collect())
    });
    made.collect()
}

/// An argument of the field `of`, or a member of this input type.
pub(super) fn input(input: &RemoteInput, names: Names<'_>, of: &str) -> DraftInput {
    let r#type = input.r#type.named(&names.r#type(&input.r#type.name));
    let made = DraftInput::new(&input.name, r#type, taken(of, &input.name)).verbatim();
    let made = made.described_by(input.description.as_deref());
    match &input.default {
        Some(default) => made.or(default.clone()),
        None => made,
    }
}
