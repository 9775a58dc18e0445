//! Positions of changes of rows with those of their relations.

use super::{Position, Reading, filter};
use crate::binding::{
    FilterRole, InputRole, RelatedChangeKind, RelatedRole, RelationVerb, WriteRole,
};

const KEY: Reading = Reading::Members(Position::RelatedKey);

/// The rows of which an object has the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataOf {
    /// A new row.
    New,
    /// One of many new rows.
    EachNew,
    /// A row that exists.
    Existing,
    /// All rows that pass conditions.
    All,
}

const fn data(of: DataOf) -> Option<Reading> {
    Some(Reading::Members(Position::RelatedData(of)))
}

/// An argument of a change.
pub(super) fn of_change(kind: RelatedChangeKind, role: &InputRole) -> Option<Reading> {
    use RelatedChangeKind as Kind;
    match (kind, role) {
        (Kind::Create, InputRole::Write(WriteRole::Related(RelatedRole::Data)))
        | (Kind::Upsert, InputRole::Write(WriteRole::Related(RelatedRole::Create))) => {
            data(DataOf::New)
        }
        (Kind::CreateMany, InputRole::Write(WriteRole::Related(RelatedRole::Data))) => {
            data(DataOf::EachNew)
        }
        (Kind::Update, InputRole::Write(WriteRole::Related(RelatedRole::Data)))
        | (Kind::Upsert, InputRole::Write(WriteRole::Related(RelatedRole::Update))) => {
            data(DataOf::Existing)
        }
        (Kind::UpdateMany, InputRole::Write(WriteRole::Related(RelatedRole::Data))) => {
            data(DataOf::All)
        }
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
pub(super) fn of_data(of: DataOf, role: &InputRole) -> Option<Reading> {
    let InputRole::Write(role) = role else { return None };
    match (of, role) {
        (_, WriteRole::Stored(_) | WriteRole::Related(RelatedRole::Limited(_)))
        | (DataOf::Existing | DataOf::All, WriteRole::Assign { .. }) => Some(Reading::Value),
        (DataOf::EachNew, WriteRole::Related(RelatedRole::Reference(_))) => Some(KEY),
        (_, WriteRole::Related(RelatedRole::Elements(_))) => {
            Some(Reading::Members(Position::RelatedElements))
        }
        (DataOf::New | DataOf::Existing, WriteRole::Related(RelatedRole::Relation(_))) => {
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
        Verb::Create => of_data(DataOf::New, role),
        Verb::Connect | Verb::Set | Verb::Disconnect | Verb::Delete => of_key(role),
        Verb::DeleteMany => filter::reading(super::Scope::default(), role),
        Verb::Update => match role {
            InputRole::Write(WriteRole::Related(RelatedRole::Where)) => Some(KEY),
            InputRole::Write(WriteRole::Related(RelatedRole::Data)) => data(DataOf::Existing),
            // Of a row that has one other.
            _ => of_data(DataOf::Existing, role),
        },
        Verb::Upsert => match role {
            InputRole::Write(WriteRole::Related(RelatedRole::Where)) => Some(KEY),
            InputRole::Write(WriteRole::Related(RelatedRole::Update)) => data(DataOf::Existing),
            InputRole::Write(WriteRole::Related(RelatedRole::Create)) => data(DataOf::New),
            _ => None,
        },
        Verb::UpdateMany => match role {
            InputRole::Write(WriteRole::Related(RelatedRole::Data)) => data(DataOf::All),
            InputRole::Filter(FilterRole::Conditions) => Some(filter::ON_ROWS),
            _ => None,
        },
    }
}
