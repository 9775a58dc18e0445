//! Field sets of `@key`, `@requires` and `@provides`.
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/directives>

use graphql::definitions::Literal;
use graphql::{find_directive_in_field_set, parse_field_set};

use super::selections::{Checker, Set};
use super::{Reference, Report};
use crate::composition::schema::{Applied, Field, Kind, Type, all, has};
use crate::composition::specifications::{FEDERATION_1, Meaning, Version};
use crate::composition::{Code, field_sets};

/// First version with keys of interfaces.
const INTERFACE_KEYS: Version = Version::new(2, 3);

/// The directive that a field set is an argument of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Key,
    Requires,
    Provides,
}

impl Owner {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Key => "@key",
            Self::Requires => "@requires",
            Self::Provides => "@provides",
        }
    }

    /// The text, syntax and fields are those of a field set.
    pub(super) fn invalid_fields(self) -> Code {
        match self {
            Self::Key => Code::KeyInvalidFields,
            Self::Requires => Code::RequiresInvalidFields,
            Self::Provides => Code::ProvidesInvalidFields,
        }
    }

    fn invalid_type(self) -> Code {
        match self {
            Self::Key => Code::KeyInvalidFieldsType,
            Self::Requires => Code::RequiresInvalidFieldsType,
            Self::Provides => Code::ProvidesInvalidFieldsType,
        }
    }

    fn directive(self) -> Code {
        match self {
            Self::Key => Code::KeyDirectiveInFieldsArg,
            Self::Requires => Code::RequiresDirectiveInFieldsArg,
            Self::Provides => Code::ProvidesDirectiveInFieldsArg,
        }
    }
}

pub(super) fn check(report: &mut Report<'_>) {
    let subgraph = report.subgraph;
    // A key of another type is a finding of the rules of directives.
    for r#type in subgraph.types.iter().filter(|r#type| r#type.composite().is_some()) {
        for key in all(&r#type.applied, Meaning::Key) {
            check_key(report, r#type, key);
        }
        for field in r#type.fields() {
            let coordinate = [&*r#type.name, ".", &field.name].concat();
            for requires in all(&field.applied, Meaning::Requires) {
                check_requires(report, r#type, &coordinate, requires);
            }
            for provides in all(&field.applied, Meaning::Provides) {
                check_provides(report, r#type, field, &coordinate, provides);
            }
        }
    }
}

fn check_key(report: &mut Report<'_>, r#type: &Type, key: &Applied) {
    let name = &*r#type.name;
    let version = report.subgraph.links.federation;
    if let Kind::Interface(_) = r#type.kind
        && version < INTERFACE_KEYS
    {
        if version != FEDERATION_1 {
            let message = format!("the interface `{name}` has a key.");
            let remedy = format!("Link Federation {INTERFACE_KEYS} or newer, or remove the key.");
            report.add(Code::KeyUnsupportedOnInterface, name, key.at(), &message, &remedy);
        }
        return;
    }
    check_fields(report, Owner::Key, r#type, name, key);
}

fn check_requires(report: &mut Report<'_>, r#type: &Type, coordinate: &str, requires: &Applied) {
    if let Kind::Interface(_) = r#type.kind {
        let message = format!("the field `{coordinate}` of an interface has `@requires`.");
        let remedy = "Move it to the fields of the implementations.";
        report.add(
            Code::RequiresUnsupportedOnInterface,
            coordinate,
            requires.at(),
            &message,
            remedy,
        );
    }
    check_fields(report, Owner::Requires, r#type, coordinate, requires);
}

fn check_provides(
    report: &mut Report<'_>,
    r#type: &Type,
    field: &Field,
    coordinate: &str,
    provides: &Applied,
) {
    if has(&field.applied, Meaning::External) {
        let message = format!("the field `{coordinate}` is external, and has `@provides`.");
        let remedy = "Remove one of them: a subgraph provides what it resolves.";
        let code = Code::ExternalCollisionWithAnotherDirective;
        return report.add(code, coordinate, provides.at(), &message, remedy);
    }
    if let Kind::Interface(_) = r#type.kind {
        let message = format!("the field `{coordinate}` of an interface has `@provides`.");
        let remedy = "Move it to the fields of the implementations.";
        report.add(
            Code::ProvidesUnsupportedOnInterface,
            coordinate,
            provides.at(),
            &message,
            remedy,
        );
    }
    let base = field.r#type.base();
    match report.reference(base) {
        Reference::Type(other) if other.composite().is_some() || is_union(other) => {
            check_fields(report, Owner::Provides, other, coordinate, provides);
        }
        // The unknown type is a finding of its own.
        Reference::Unknown => {}
        Reference::Type(_) | Reference::Scalar => {
            let message = format!(
                "the field `{coordinate}` has `@provides`, but its type `{base}` has no fields."
            );
            let code = Code::ProvidesOnNonObjectField;
            report.add(code, coordinate, provides.at(), &message, "Remove `@provides`.");
        }
    }
}

fn is_union(r#type: &Type) -> bool {
    matches!(r#type.kind, Kind::Union(_))
}

/// Checks a field set on a type.
fn check_fields(
    report: &mut Report<'_>,
    owner: Owner,
    parent: &Type,
    coordinate: &str,
    applied: &Applied,
) {
    // A missing argument is a finding of the rules of directives.
    let Some(literal) = applied.argument("fields") else { return };
    let name = owner.name();
    let is_first = report.subgraph.links.federation == FEDERATION_1;
    let text = match literal {
        Literal::String(text) => Some(text.as_ref().to_owned()),
        // Federation 1 allowed names without quotes, and lists.
        _ if is_first => field_sets::text(applied),
        _ => None,
    };
    let Some(text) = text else {
        let message = format!("the argument `fields` of `{name}` on `{coordinate}` is no string.");
        let remedy = format!("Write the fields in quotes: `{name}(fields: \"id name\")`.");
        return report.add(owner.invalid_type(), coordinate, applied.at(), &message, &remedy);
    };
    if ends_in_comment(&text) {
        let message = format!("`{name}` on `{coordinate}` ends with a comment: `{text}`.");
        let remedy = "Remove the comment: gateways add a brace after the text.";
        return report.add(owner.invalid_fields(), coordinate, applied.at(), &message, remedy);
    }
    let set = Set { owner, coordinate, text: &text, at: applied.at() };
    match parse_field_set(&text) {
        Ok(selections) => {
            let mut checker = Checker { report, set };
            checker.check(parent, &selections, false);
        }
        Err(error) => match find_directive_in_field_set(&text) {
            Some(directive) => {
                let message = format!(
                    "`{name}(fields: \"{text}\")` on `{coordinate}` contains `@{directive}`."
                );
                let remedy = "Remove the directive: fields are selected without conditions.";
                report.add(owner.directive(), coordinate, applied.at(), &message, remedy);
            }
            None => {
                let message = format!(
                    "`{name}(fields: \"{text}\")` on `{coordinate}` is no field set: {}.",
                    error.message.trim_end_matches('.')
                );
                let remedy = "Write names of fields, with subfields in braces: `id owner { id }`.";
                report.add(owner.invalid_fields(), coordinate, applied.at(), &message, remedy);
            }
        },
    }
}

/// Whether the last line of a field set has a comment.
fn ends_in_comment(text: &str) -> bool {
    let last = text.rsplit('\n').next().unwrap_or(text);
    // Parts between quotes are strings.
    last.split('"').step_by(2).any(|part| part.contains('#'))
}
