//! Positions of changes of rows with those of their relations.

use super::{Position, Reading, filter};
use crate::binding::{
    FilterRole, InputRole, RelatedChangeKind, RelatedRole, RelationVerb, WriteRole,
};

const KEY: Reading = Reading::Members(Position::RelatedKey);
const DATA: Reading = Reading::Members(Position::RelatedData);

/// An argument of a change.
pub(super) fn of_change(kind: RelatedChangeKind, role: &InputRole) -> Option<Reading> {
    use RelatedChangeKind as Kind;
    match (kind, role) {
        (
            Kind::Create | Kind::Update | Kind::UpdateMany,
            InputRole::Write(WriteRole::Related(RelatedRole::Data)),
        )
        | (
            Kind::Upsert,
            InputRole::Write(WriteRole::Related(RelatedRole::Update | RelatedRole::Create)),
        ) => Some(DATA),
        (
            Kind::Update | Kind::Upsert | Kind::Delete,
            InputRole::Write(WriteRole::Related(RelatedRole::Where)),
        ) => Some(KEY),
        (Kind::UpdateMany | Kind::DeleteMany, InputRole::Filter(FilterRole::Conditions)) => {
            Some(filter::ON_ROWS)
        }
        _ => None,
    }
}

/// A member of the key of a row.
pub(super) fn of_key(role: &InputRole) -> Option<Reading> {
    matches!(role, InputRole::Filter(FilterRole::Equal(_))).then_some(Reading::Value)
}

/// A member of the values of a row.
pub(super) fn of_data(role: &InputRole) -> Option<Reading> {
    match role {
        InputRole::Write(WriteRole::Stored(_)) => Some(Reading::Value),
        InputRole::Write(WriteRole::Related(RelatedRole::Elements(_))) => {
            Some(Reading::Members(Position::RelatedElements))
        }
        InputRole::Write(WriteRole::Related(RelatedRole::Relation(_))) => {
            Some(Reading::Members(Position::RelatedVerbs))
        }
        _ => None,
    }
}

/// A member of a list of values.
pub(super) fn of_elements(role: &InputRole) -> Option<Reading> {
    let is_read = matches!(role, InputRole::Write(WriteRole::Related(RelatedRole::SetElements)));
    is_read.then_some(Reading::Value)
}

/// A verb along a relation.
pub(super) fn of_verbs(role: &InputRole) -> Option<Reading> {
    match role {
        InputRole::Write(WriteRole::Related(RelatedRole::Verb(verb))) => {
            Some(Reading::Members(Position::RelatedVerb(*verb)))
        }
        _ => None,
    }
}

/// A member of the objects of a verb.
pub(super) fn of_verb(verb: RelationVerb, role: &InputRole) -> Option<Reading> {
    use RelationVerb as Verb;
    match verb {
        Verb::Create => of_data(role),
        Verb::Connect | Verb::Set | Verb::Disconnect | Verb::Delete => of_key(role),
        Verb::DeleteMany => filter::reading(super::Scope::default(), role),
        Verb::Update => match role {
            InputRole::Write(WriteRole::Related(RelatedRole::Where)) => Some(KEY),
            InputRole::Write(WriteRole::Related(RelatedRole::Data)) => Some(DATA),
            // Of a row that has one other.
            _ => of_data(role),
        },
        Verb::Upsert => match role {
            InputRole::Write(WriteRole::Related(RelatedRole::Where)) => Some(KEY),
            InputRole::Write(WriteRole::Related(RelatedRole::Update | RelatedRole::Create)) => {
                Some(DATA)
            }
            _ => None,
        },
        Verb::UpdateMany => match role {
            InputRole::Write(WriteRole::Related(RelatedRole::Data)) => Some(DATA),
            InputRole::Filter(FilterRole::Conditions) => Some(filter::ON_ROWS),
            _ => None,
        },
    }
}
