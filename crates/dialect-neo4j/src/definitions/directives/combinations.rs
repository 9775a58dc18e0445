//! Which directives exclude each other at one place.

use graphql::definitions::Directive;

use super::spec::{Known, Place};
use crate::definitions::problem::{At, Problems};
use crate::model::ApiVersion;

/// A directive, and those that may not stand beside it. What is said on one side is enough.
type Exclusion = (Known, &'static [Known]);

const FIELDS_OF_V7: &[Exclusion] = &[
    (Known::Alias, &[Known::Statement, Known::CustomResolver, Known::Relationship]),
    (Known::Authentication, &[Known::CustomResolver, Known::Relationship]),
    (Known::Authorization, &[Known::CustomResolver, Known::Relationship]),
    (Known::Coalesce, &[Known::Relationship]),
    (
        Known::CustomResolver,
        &[
            Known::SubscriptionsAuthorization,
            Known::Id,
            Known::Relationship,
            Known::Filterable,
            Known::Settable,
            Known::Selectable,
            Known::Sortable,
            Known::GroupBy,
        ],
    ),
    (Known::Statement, &[Known::Id, Known::Relationship]),
    (Known::Default, &[Known::PopulatedBy, Known::Relationship]),
    (Known::Id, &[Known::PopulatedBy, Known::Relationship, Known::Timestamp]),
    (Known::PopulatedBy, &[Known::Relationship]),
    (Known::Relationship, &[Known::SubscriptionsAuthorization, Known::GroupBy]),
    (
        Known::JwtClaim,
        &[
            Known::Alias,
            Known::Authentication,
            Known::Authorization,
            Known::Coalesce,
            Known::CustomResolver,
            Known::GroupBy,
            Known::Default,
            Known::Id,
            Known::PopulatedBy,
            Known::Relationship,
            Known::RelayId,
            Known::SubscriptionsAuthorization,
            Known::Timestamp,
            Known::DeclareRelationship,
            Known::Filterable,
            Known::Selectable,
            Known::Settable,
            Known::Sortable,
        ],
    ),
];

const OBJECTS_OF_V7: &[Exclusion] = &[(
    Known::RelationshipProperties,
    &[
        Known::Vector,
        Known::Authentication,
        Known::Authorization,
        Known::Node,
        Known::Subscription,
        Known::SubscriptionsAuthorization,
        Known::Query,
        Known::Mutation,
        Known::Limit,
        Known::Fulltext,
        Known::Plural,
    ],
)];

const FIELDS_OF_V3: &[Exclusion] = &[
    (
        Known::Alias,
        &[Known::Statement, Known::Computed, Known::CustomResolver, Known::Relationship],
    ),
    (Known::Auth, &[Known::Computed, Known::CustomResolver, Known::Relationship]),
    (Known::Callback, &[Known::Id, Known::Default, Known::Relationship]),
    (Known::Coalesce, &[Known::Relationship]),
    (
        Known::Computed,
        &[Known::Authorization, Known::Id, Known::Readonly, Known::Relationship, Known::Writeonly],
    ),
    (
        Known::Id,
        &[
            Known::Statement,
            Known::CustomResolver,
            Known::Relationship,
            Known::Timestamp,
            Known::Unique,
        ],
    ),
    (Known::PopulatedBy, &[Known::Id, Known::Default, Known::Relationship]),
    (Known::Readonly, &[Known::Statement, Known::CustomResolver, Known::Relationship]),
    (Known::Relationship, &[Known::Statement, Known::Default, Known::CustomResolver]),
    (Known::Timestamp, &[Known::Unique]),
    (
        Known::Unique,
        &[Known::Statement, Known::Computed, Known::CustomResolver, Known::Relationship],
    ),
    (Known::Writeonly, &[Known::Statement, Known::CustomResolver]),
];

/// The library takes each of the two, but not both.
const OBJECTS_OF_V3: &[Exclusion] = &[(Known::Exclude, &[Known::Query, Known::Mutation])];

/// Reports the directives of a place that exclude each other.
pub(super) fn check(
    version: ApiVersion,
    place: Place,
    at: At<'_>,
    said: &[(Known, &Directive)],
    problems: &mut Problems,
) {
    let table = match (version, place) {
        (ApiVersion::V7, Place::Field) => FIELDS_OF_V7,
        (ApiVersion::V7, Place::Object) => OBJECTS_OF_V7,
        (ApiVersion::V3, Place::Field) => FIELDS_OF_V3,
        (ApiVersion::V3, Place::Object) => OBJECTS_OF_V3,
        (
            ApiVersion::V7 | ApiVersion::V3,
            Place::Schema
            | Place::Scalar
            | Place::Interface
            | Place::Union
            | Place::Enum
            | Place::EnumValue
            | Place::InputObject,
        ) => return,
    };
    for (known, excluded) in table {
        let Some((_, directive)) = said.iter().find(|(one, _)| one == known) else { continue };
        for (_, other) in said.iter().filter(|(one, _)| excluded.contains(one)) {
            let message = format!(
                "`@{}` and `@{}` exclude each other: leave one out",
                directive.name, other.name
            );
            problems.wrong(at.on_line(other.line), message);
        }
    }
}
