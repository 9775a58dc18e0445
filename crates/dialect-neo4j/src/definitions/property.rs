//! Fields that hold values.

use std::sync::Arc;

use graphql::definitions::TypeExpression;

use super::constant::{self, Use};
use super::directives::{Known, UPDATE};
use super::field::{Context, Owner};
use super::problem::Problems;
use super::statement;
use super::types::{Meaning, built_in};
use crate::model::{ApiVersion, Constant, Given, Made, Property, PropertyType};

/// The property of a field, unless something is wrong with its type.
pub(super) fn property(context: Context<'_, '_>, problems: &mut Problems) -> Option<Property> {
    let shape = shape(context, problems)?;
    let r#type = value_type(context, shape.name, problems)?;
    let constant = |known, problems: &mut Problems| -> Option<Constant> {
        let literal = context.said.find(known)?.value("value")?;
        let r#use = if known == Known::Default { Use::Default } else { Use::Coalesce };
        check_owner(context, known, problems);
        let types = context.types;
        match constant::constant(types, r#use, &r#type, shape.is_list, literal) {
            Ok(constant) => Some(constant),
            Err(message) => {
                problems.wrong(context.at_directive(known), message);
                None
            }
        }
    };
    let default = constant(Known::Default, problems);
    let coalesce = constant(Known::Coalesce, problems);
    let id = id(context, &shape, &r#type, problems);
    let timestamp = timestamp(context, &shape, &r#type, problems);
    Some(Property {
        r#type,
        is_list: shape.is_list,
        is_required: context.written.definition.r#type.is_required(),
        are_elements_required: shape.are_elements_required,
        made: id.is_made.then_some(Made::Id).or(timestamp),
        is_unique: id.is_unique || context.said.has(Known::Unique),
        constraint: constraint_name(context),
        is_relay_id: id.is_global,
        default,
        coalesce,
    })
}

/// Whether a field of version 3 is of nodes or maps without being a relationship, and nothing is said of
/// it that belongs to values.
pub(super) fn is_part(context: Context<'_, '_>) -> bool {
    const OF_VALUES: [Known; 7] = [
        Known::Alias,
        Known::Auth,
        Known::Coalesce,
        Known::Default,
        Known::Id,
        Known::Timestamp,
        Known::Unique,
    ];
    let meaning = context.types.meaning(context.written.definition.r#type.base());
    context.types.version == ApiVersion::V3
        && context.owner != Owner::Properties
        && matches!(meaning, Some(Meaning::Node(_) | Meaning::Interface(_) | Meaning::Union(_)))
        && !OF_VALUES.iter().any(|known| context.said.has(*known))
}

/// What such a field holds.
pub(super) fn part(context: Context<'_, '_>, problems: &mut Problems) -> Option<Given> {
    statement::given(context.types, context.at, &context.written.definition.r#type, problems)
}

struct Shape<'d> {
    name: &'d Arc<str>,
    is_list: bool,
    are_elements_required: bool,
}

fn shape<'d>(context: Context<'_, 'd>, problems: &mut Problems) -> Option<Shape<'d>> {
    let definition = context.written.definition;
    match &definition.r#type {
        TypeExpression::Named { name, .. } => {
            Some(Shape { name, is_list: false, are_elements_required: false })
        }
        TypeExpression::List { of, .. } => match &**of {
            TypeExpression::Named { name, is_required } => {
                if context.types.version == ApiVersion::V7
                    && context.owner != Owner::Interface
                    && !is_required
                    && context.types.meaning(name).is_none_or(is_value)
                {
                    let message = format!("a property holds no list with nulls: write `[{name}!]`");
                    problems.wrong(context.at, message);
                }
                Some(Shape { name, is_list: true, are_elements_required: *is_required })
            }
            TypeExpression::List { .. } => {
                problems.wrong(context.at, "a property holds no lists of lists");
                None
            }
        },
    }
}

fn is_value(meaning: Meaning) -> bool {
    matches!(meaning, Meaning::Enum(_) | Meaning::Scalar(_))
}

fn value_type(
    context: Context<'_, '_>,
    name: &str,
    problems: &mut Problems,
) -> Option<PropertyType> {
    // A type that is defined under a built-in name was refused.
    if let Some(r#type) = built_in(name) {
        return Some(r#type);
    }
    let at = context.at;
    match context.types.meaning(name) {
        Some(Meaning::Enum(place)) => return Some(PropertyType::Enum(place)),
        Some(Meaning::Scalar(place)) => return Some(PropertyType::Scalar(place)),
        Some(Meaning::Node(_) | Meaning::Interface(_) | Meaning::Union(_)) => {
            let subject = format!("a field of `{name}` that is no relationship");
            match context.owner {
                Owner::Node => {
                    let instead = "add `@relationship(type:, direction:)`";
                    problems.needs_javascript(at, subject, instead);
                }
                Owner::Properties => {
                    let instead = "let properties of relationships be values";
                    problems.needs_javascript(at, subject, instead);
                }
                // It is shown as its types have it.
                Owner::Interface => {}
            }
        }
        Some(Meaning::Properties(_)) => {
            let message = format!(
                "`{name}` is of properties of relationships: it belongs to \
                 `@relationship(properties:)`, not to fields"
            );
            problems.wrong(at, message);
        }
        Some(Meaning::Object(_)) => {
            let subject = format!("a field of `{name}` that no statement gives");
            let instead = "add `@cypher(statement:, columnName:)`";
            problems.needs_javascript(at, subject, instead);
        }
        Some(Meaning::Input(_)) => {
            problems.wrong(at, format!("`{name}` is what requests give, and no value"));
        }
        Some(Meaning::Claims) => {
            problems.wrong(at, format!("`{name}` is of claims of tokens, which no field has"));
        }
        Some(Meaning::Refused) => {}
        None => problems.wrong(at, format!("there is no type `{name}`")),
    }
    None
}

/// Values are made, and filled in, where they are stored.
fn check_owner(context: Context<'_, '_>, known: Known, problems: &mut Problems) {
    if context.types.version == ApiVersion::V7 && context.owner == Owner::Interface {
        let message = "it belongs to the types that implement the interface: say it there";
        problems.wrong(context.at_directive(known), message);
    }
}

/// The name that `@unique` says.
fn constraint_name(context: Context<'_, '_>) -> Option<Arc<str>> {
    context.said.find(Known::Unique)?.text("constraintName").cloned()
}

#[derive(Default)]
struct Id {
    is_made: bool,
    is_unique: bool,
    is_global: bool,
}

fn id(
    context: Context<'_, '_>,
    shape: &Shape<'_>,
    r#type: &PropertyType,
    problems: &mut Problems,
) -> Id {
    let mut id = Id::default();
    if context.said.has(Known::RelayId) {
        id.is_global = true;
        if context.owner != Owner::Node {
            let message = "`@relayId` belongs to fields of nodes";
            problems.wrong(context.at_directive(Known::RelayId), message);
        }
    }
    if context.said.has(Known::Unique) && context.owner != Owner::Node {
        let message = "`@unique` belongs to fields of nodes";
        problems.wrong(context.at_directive(Known::Unique), message);
    }
    let Some(said) = context.said.find(Known::Id) else { return id };
    let at = context.at_directive(Known::Id);
    check_owner(context, Known::Id, problems);
    // version 7 has none of these arguments.
    id.is_made = said.boolean("autogenerate").unwrap_or(true);
    id.is_unique = said.boolean("unique").unwrap_or(true) && context.owner == Owner::Node;
    id.is_global |= said.boolean("global").unwrap_or(false);
    if id.is_made && shape.is_list {
        problems.wrong(at, "`@id` makes no lists");
    } else if id.is_made && *r#type != PropertyType::Id {
        problems.wrong(at, "`@id` makes values of type ID only");
    }
    if said.boolean("global") == Some(true) && said.boolean("unique") == Some(false) {
        problems.wrong(at, "a global id is unique: leave `unique: false` out");
    }
    id
}

fn timestamp(
    context: Context<'_, '_>,
    shape: &Shape<'_>,
    r#type: &PropertyType,
    problems: &mut Problems,
) -> Option<Made> {
    let said = context.said.find(Known::Timestamp)?;
    let at = context.at_directive(Known::Timestamp);
    check_owner(context, Known::Timestamp, problems);
    if shape.is_list {
        problems.wrong(at, "`@timestamp` makes no lists");
    } else if !matches!(r#type, PropertyType::DateTime | PropertyType::Time) {
        problems.wrong(at, "`@timestamp` makes values of type DateTime or Time, which have a zone");
    }
    // None at all means both.
    let words = said.words("operations").filter(|words| !words.is_empty());
    let has = |word: &str| match &words {
        Some(words) => words.iter().any(|one| &***one == word),
        None => true,
    };
    Some(Made::Timestamp { on_create: has("CREATE"), on_update: has(UPDATE) })
}
