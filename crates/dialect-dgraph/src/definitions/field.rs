//! Fields of types, interfaces and root types.

use graphql::definitions::problem::{At, Problems};
use graphql::definitions::{FieldDefinition, InputDefinition, Literal};
use graphql::print_default;

use super::declared::{DeclaredField, Owner, OwnerKind, place};
use super::directives::{Applied, Known, Location, boolean, find_argument, require_text};
use super::inherited::ExpandedField;
use super::reserved::is_keyword;
use super::types::Types;
use super::{custom, default, federation, predicate, search};
use crate::model::{Base, Field, FieldType, InputValue, Scalar, XidScope};

/// The reason of `@deprecated` without one.
/// <https://spec.graphql.org/draft/#sec--deprecated>
const NO_REASON: &str = "No longer supported";

/// Reads a field where it is declared.
pub(super) fn read<'d>(
    types: &Types<'d>,
    owner: Owner<'_, 'd>,
    at: At<'d>,
    expanded: ExpandedField<'d>,
    problems: &mut Problems,
) -> DeclaredField<'d> {
    let definition = expanded.definition;
    let at = place(at, definition);
    let applied = Applied::read(types, Location::Field, at, &definition.directives, problems);
    check_name(at, &definition.name, problems);
    let r#type = types.output(at, &definition.r#type, problems);
    let arguments = arguments(types, owner.kind, at, &definition.arguments, problems);
    let custom = custom::read(types, owner, at, definition, &applied, problems);
    if owner.kind.is_root() && !applied.has(Known::Custom) && !applied.has(Known::Lambda) {
        let message = "fields of `Query` and `Mutation` are generated: \
                       remove it, or add `@custom` to it";
        problems.refuse(at, message);
    }
    check_subscription(owner.kind, at, &applied, problems);
    let remote_name = remote_name(owner.kind, at, &applied, problems);
    let field = r#type.map(|r#type| {
        check_list(at, r#type, problems);
        if owner.kind == OwnerKind::Remote && applied.has(Known::Default) {
            let message = "`@default` does not apply to types of other servers: remove it";
            problems.refuse(at, message);
        }
        check_embedding(at, r#type, definition, &applied, problems);
        let (default_on_add, default_on_update) =
            default::read(types, at, r#type, &applied, problems);
        Field {
            name: (&*definition.name).into(),
            description: expanded.description.map(|text| (&**text).into()),
            r#type,
            inherited: expanded.inherited,
            id: id(owner.kind, at, r#type, &applied, problems),
            search: search::read(at, r#type, &applied, problems),
            default_on_add,
            default_on_update,
            inverse: None,
            stored_name: predicate::read(at, r#type, definition, &applied, problems),
            is_embedding: applied.has(Known::Embedding),
            custom,
            arguments,
            deprecated: deprecated(&applied),
            federation: federation::of_field(&applied),
            has_subscription: applied.has(Known::WithSubscription),
            remote_name,
            line: definition.line,
        }
    });
    DeclaredField { expanded, applied, field }
}

/// The reason of `@deprecated`.
pub(super) fn deprecated(applied: &Applied<'_>) -> Option<Box<str>> {
    let directive = applied.find(Known::Deprecated)?;
    let reason = find_argument(directive, "reason").map(|argument| &argument.value);
    match reason {
        Some(Literal::String(reason)) => Some((&**reason).into()),
        _ => Some(NO_REASON.into()),
    }
}

/// Arguments of fields, or members of input types.
pub(super) fn input_values<'d>(
    types: &Types<'d>,
    at: At<'d>,
    definitions: &'d [InputDefinition],
    problems: &mut Problems,
) -> Vec<InputValue> {
    let mut values: Vec<InputValue> = Vec::new();
    for definition in definitions {
        let at = at.input(definition);
        let r#type = types.input(at, &definition.r#type, problems);
        Applied::read(types, Location::InputValue, at, &definition.directives, problems);
        if values.iter().any(|value| *value.name == *definition.name) {
            let message = format!("`{}` is declared twice: remove one", definition.name);
            problems.refuse(at, message);
            continue;
        }
        values.extend(r#type.map(|r#type| InputValue {
            name: (&*definition.name).into(),
            description: definition.description.as_ref().map(|text| (&**text).into()),
            r#type,
            default:
                definition.default.as_ref().map(|value| print_default(&value.constant()).into()),
        }));
    }
    values
}

fn arguments<'d>(
    types: &Types<'d>,
    owner: OwnerKind,
    at: At<'d>,
    definitions: &'d [InputDefinition],
    problems: &mut Problems,
) -> Vec<InputValue> {
    if matches!(owner, OwnerKind::Object | OwnerKind::Interface) {
        for definition in definitions {
            if matches!(&*definition.name, "first" | "offset" | "filter" | "order") {
                let message =
                    format!("the API generates the argument `{}`: rename it", definition.name);
                problems.refuse(at.input(definition), message);
            }
        }
    }
    input_values(types, at, definitions, problems)
}

/// Reports names that no field may have.
pub(super) fn check_name(at: At<'_>, name: &str, problems: &mut Problems) {
    if is_keyword(name) {
        problems.refuse(at, "the name is reserved: rename it");
    } else if name.starts_with("__") {
        problems.refuse(at, "names with `__` belong to introspection: rename it");
    } else if name.ends_with("Aggregate") {
        let message = "the API generates names with `Aggregate` at the end: rename it";
        problems.refuse(at, message);
    }
}

fn check_list(at: At<'_>, r#type: FieldType, problems: &mut Problems) {
    let name = match r#type.base {
        _ if r#type.list.is_none() => return,
        Base::Scalar(Scalar::Id) => "ID",
        Base::Scalar(Scalar::Boolean) => "Boolean",
        Base::Scalar(_) | Base::Enum(_) | Base::Type(_) | Base::Union(_) | Base::Input(_) => return,
    };
    problems.refuse(at, format!("lists of {name} do not exist: make it one {name}"));
}

fn check_embedding(
    at: At<'_>,
    r#type: FieldType,
    definition: &FieldDefinition,
    applied: &Applied<'_>,
    problems: &mut Problems,
) {
    let is_vector = r#type.base == Base::Scalar(Scalar::Float)
        && r#type.list.is_some_and(|elements| elements.are_required);
    if applied.has(Known::Embedding) && !is_vector {
        let message =
            format!("an embedding is no {}: give it the type `[Float!]`", definition.r#type);
        problems.refuse(at, message);
    }
}

fn id(
    owner: OwnerKind,
    at: At<'_>,
    r#type: FieldType,
    applied: &Applied<'_>,
    problems: &mut Problems,
) -> Option<XidScope> {
    let directive = applied.find(Known::Id)?;
    let at = at.directive(directive);
    let is_key = matches!(r#type.base, Base::Scalar(Scalar::String | Scalar::Int | Scalar::Int64));
    if !is_key || r#type.list.is_some() {
        problems.refuse(at, "`@id` applies to String, Int and Int64: change the type or remove it");
    }
    if boolean(at, directive, "interface", problems) != Some(true) {
        return Some(XidScope::Type);
    }
    if owner != OwnerKind::Interface {
        let message = "`@id(interface: true)` applies to fields of interfaces: write `@id`";
        problems.refuse(at, message);
    }
    Some(XidScope::Interface)
}

fn check_subscription(
    owner: OwnerKind,
    at: At<'_>,
    applied: &Applied<'_>,
    problems: &mut Problems,
) {
    let Some(directive) = applied.find(Known::WithSubscription) else { return };
    let custom = applied.find(Known::Custom);
    let is_dql = custom.is_some_and(|custom| find_argument(custom, "dql").is_some());
    if owner != OwnerKind::Query || !is_dql {
        let message = "`@withSubscription` applies to types, and to queries with \
                       `@custom(dql:)`: remove it";
        problems.refuse(at.directive(directive), message);
    }
}

fn remote_name(
    owner: OwnerKind,
    at: At<'_>,
    applied: &Applied<'_>,
    problems: &mut Problems,
) -> Option<Box<str>> {
    let directive = applied.find(Known::RemoteResponse)?;
    if owner != OwnerKind::Remote {
        let message = "`@remoteResponse` applies to fields of types with `@remote`: remove it";
        problems.refuse(at.directive(directive), message);
    }
    let example = "@remoteResponse(name: \"screen_name\")";
    require_text(at, directive, "name", example, problems).map(Into::into)
}
