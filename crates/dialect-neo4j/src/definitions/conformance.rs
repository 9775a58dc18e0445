//! What GraphQL asks of types that implement interfaces, and of unions.

use graphql::definitions::{Named, TypeExpression};

use super::problem::Problems;
use super::types::{Meaning, Type, Types};
use super::written::WrittenBody;

/// Reports types that do not have what their interfaces say, and unions of something else than
/// types of nodes.
pub(super) fn check(types: &Types<'_>, problems: &mut Problems) {
    for r#type in types.nodes.iter().chain(&types.interfaces).chain(&types.properties) {
        for named in r#type.interfaces() {
            check_interface(types, r#type, named, problems);
        }
    }
    for union in &types.unions {
        let WrittenBody::Union(members) = &union.written.body else { continue };
        if members.is_empty() {
            problems.wrong(union.at(), "a union has one type at least");
        }
        for member in members {
            let at = union.at().on_line(member.line);
            match types.meaning(&member.name) {
                Some(Meaning::Node(_) | Meaning::Refused) => {}
                Some(
                    Meaning::Properties(_)
                    | Meaning::Interface(_)
                    | Meaning::Union(_)
                    | Meaning::Enum(_)
                    | Meaning::Scalar(_)
                    | Meaning::Object(_)
                    | Meaning::Input(_)
                    | Meaning::Claims,
                ) => {
                    let message = format!("`{}` is no type of nodes, as members are", member.name);
                    problems.wrong(at, message);
                }
                None => problems.wrong(at, format!("there is no type `{}`", member.name)),
            }
        }
    }
}

fn check_interface(types: &Types<'_>, r#type: &Type<'_>, named: &Named, problems: &mut Problems) {
    let at = r#type.at().on_line(named.line);
    let name = &named.name;
    let interface = match types.meaning(name) {
        Some(Meaning::Interface(place)) => types.interfaces.get(place),
        Some(Meaning::Refused) => return,
        Some(_) => {
            problems.wrong(at, format!("`{name}` is no interface that it could implement"));
            return;
        }
        None => {
            problems.wrong(at, format!("there is no interface `{name}`"));
            return;
        }
    };
    let Some(interface) = interface else { return };
    if interface.name() == r#type.name() {
        problems.wrong(at, "an interface cannot implement itself");
        return;
    }
    for above in interface.interfaces() {
        if above.name == *r#type.name() {
            problems.wrong(at, format!("it and `{name}` implement each other"));
        } else if !r#type.interfaces().iter().any(|one| one.name == above.name) {
            let message = format!("it has to implement `{}` too, as `{name}` does", above.name);
            problems.wrong(at, message);
        }
    }
    for wanted in interface.fields() {
        let wanted = wanted.definition;
        let mut fields = r#type.fields().iter().map(|field| field.definition);
        match fields.find(|field| field.name == wanted.name) {
            None => {
                let message = format!(
                    "it has no field `{}: {}`, which `{name}` has on line {}",
                    wanted.name, wanted.r#type, wanted.line
                );
                problems.wrong(at, message);
            }
            Some(field) if !is_sub_type(types, &field.r#type, &wanted.r#type) => {
                let message = format!(
                    "it is {}, but {} in `{name}` on line {}",
                    field.r#type, wanted.r#type, wanted.line
                );
                problems.wrong(r#type.at().member(field.line, &field.name), message);
            }
            Some(_) => {}
        }
    }
}

/// <https://spec.graphql.org/draft/#IsValidImplementationFieldType()>
///
/// Recursion is bounded by the parser's limit.
fn is_sub_type(types: &Types<'_>, one: &TypeExpression, of: &TypeExpression) -> bool {
    if of.is_required() && !one.is_required() {
        return false;
    }
    match (one, of) {
        (TypeExpression::List { of: one, .. }, TypeExpression::List { of, .. }) => {
            is_sub_type(types, one, of)
        }
        (TypeExpression::Named { name: one, .. }, TypeExpression::Named { name: of, .. }) => {
            one == of || belongs(types, one, of)
        }
        (TypeExpression::List { .. }, TypeExpression::Named { .. })
        | (TypeExpression::Named { .. }, TypeExpression::List { .. }) => false,
    }
}

/// Whether a type is one of an interface's or a union's.
fn belongs(types: &Types<'_>, one: &str, of: &str) -> bool {
    let implements = |r#type: Option<&Type<'_>>| {
        r#type.is_some_and(|r#type| r#type.interfaces().iter().any(|named| &*named.name == of))
    };
    match (types.meaning(one), types.meaning(of)) {
        (Some(Meaning::Node(place)), Some(Meaning::Interface(_))) => {
            implements(types.nodes.get(place))
        }
        (Some(Meaning::Interface(place)), Some(Meaning::Interface(_))) => {
            implements(types.interfaces.get(place))
        }
        (Some(Meaning::Node(_)), Some(Meaning::Union(place))) => {
            types.unions.get(place).is_some_and(|union| match &union.written.body {
                WrittenBody::Union(members) => members.iter().any(|member| &*member.name == one),
                _ => false,
            })
        }
        _ => false,
    }
}
