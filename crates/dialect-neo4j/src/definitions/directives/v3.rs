//! The directives of version 3.

use super::spec::{
    Known, Place, Shape, Spec, UPDATE, federation, federation_not_yet, in_javascript, not_yet,
    optional, required, served,
};
use super::v7::{CHANGES, INSTEAD_OF_CALLBACKS, INSTEAD_OF_RESOLVERS};
use crate::definitions::problem::Unserved;

const FIELD: &[Place] = &[Place::Field];
const OBJECT: &[Place] = &[Place::Object];
const OBJECT_OR_SCHEMA: &[Place] = &[Place::Object, Place::Schema];

pub(super) const DIRECTIVES: &[Spec] = &[
    served("alias", Known::Alias, FIELD, &[required("property", Shape::Text)]),
    served(
        "auth",
        Known::Auth,
        &[Place::Object, Place::Interface, Place::Field],
        &[required("rules", Shape::Anything)],
    ),
    not_yet(
        "authorization",
        Known::Authorization,
        Unserved::Authorization,
        &[Place::Object, Place::Interface, Place::Field],
        &[optional("filter", Shape::Anything), optional("validate", Shape::Anything)],
    ),
    in_javascript(
        "callback",
        Known::Callback,
        &[
            required("name", Shape::Text),
            optional("operations", Shape::SomeOf(&["CREATE", UPDATE])),
        ],
        INSTEAD_OF_CALLBACKS,
    ),
    served("coalesce", Known::Coalesce, FIELD, &[required("value", Shape::Value)]),
    in_javascript(
        "computed",
        Known::Computed,
        &[optional("from", Shape::Texts)],
        INSTEAD_OF_RESOLVERS,
    ),
    in_javascript(
        "customResolver",
        Known::CustomResolver,
        &[optional("requires", Shape::Texts)],
        INSTEAD_OF_RESOLVERS,
    ),
    served(
        "cypher",
        Known::Statement,
        FIELD,
        &[required("statement", Shape::Text), optional("columnName", Shape::Text)],
    ),
    served("default", Known::Default, FIELD, &[required("value", Shape::Value)]),
    served(
        "deprecated",
        Known::Deprecated,
        &[Place::Field, Place::EnumValue],
        &[optional("reason", Shape::Text)],
    ),
    served(
        "exclude",
        Known::Exclude,
        &[Place::Object, Place::Interface],
        &[optional(
            "operations",
            Shape::SomeOf(&["CREATE", "READ", UPDATE, "DELETE", "SUBSCRIBE"]),
        )],
    ),
    served(
        "fulltext",
        Known::Fulltext,
        OBJECT,
        &[required(
            "indexes",
            Shape::Objects(&[
                optional("name", Shape::Text),
                optional("indexName", Shape::Text),
                optional("queryName", Shape::Text),
                required("fields", Shape::Texts),
            ]),
        )],
    ),
    served(
        "id",
        Known::Id,
        FIELD,
        &[
            optional("autogenerate", Shape::Boolean),
            optional("unique", Shape::Boolean),
            optional("global", Shape::Boolean),
        ],
    ),
    served("jwtClaim", Known::JwtClaim, FIELD, &[required("path", Shape::Text)]),
    served("jwtPayload", Known::Jwt, OBJECT, &[]),
    served(
        "mutation",
        Known::Mutation,
        OBJECT_OR_SCHEMA,
        &[optional("operations", Shape::SomeOf(CHANGES))],
    ),
    served(
        "node",
        Known::Node,
        OBJECT,
        &[
            optional("label", Shape::Text),
            optional("additionalLabels", Shape::Texts),
            optional("labels", Shape::Texts),
            optional("plural", Shape::Text),
        ],
    ),
    served("plural", Known::Plural, OBJECT, &[required("value", Shape::Text)]),
    in_javascript(
        "populatedBy",
        Known::PopulatedBy,
        &[
            required("callback", Shape::Text),
            optional("operations", Shape::SomeOf(&["CREATE", UPDATE])),
        ],
        INSTEAD_OF_CALLBACKS,
    ),
    served("private", Known::Private, FIELD, &[]),
    served(
        "query",
        Known::Query,
        OBJECT_OR_SCHEMA,
        &[optional("read", Shape::Boolean), optional("aggregate", Shape::Boolean)],
    ),
    served(
        "queryOptions",
        Known::QueryOptions,
        OBJECT,
        &[optional(
            "limit",
            Shape::Object(&[optional("default", Shape::Integer), optional("max", Shape::Integer)]),
        )],
    ),
    served("readonly", Known::Readonly, FIELD, &[]),
    served(
        "relationship",
        Known::Relationship,
        FIELD,
        &[
            required("type", Shape::Text),
            required("direction", Shape::OneOf(&["IN", "OUT"])),
            optional("properties", Shape::Text),
            optional(
                "queryDirection",
                Shape::OneOf(&[
                    "DEFAULT_DIRECTED",
                    "DEFAULT_UNDIRECTED",
                    "DIRECTED_ONLY",
                    "UNDIRECTED_ONLY",
                ]),
            ),
            optional(
                "nestedOperations",
                Shape::SomeOf(&[
                    "CREATE",
                    UPDATE,
                    "DELETE",
                    "CONNECT",
                    "DISCONNECT",
                    "CONNECT_OR_CREATE",
                ]),
            ),
        ],
    ),
    served("relationshipProperties", Known::RelationshipProperties, &[Place::Interface], &[]),
    served("specifiedBy", Known::SpecifiedBy, &[Place::Scalar], &[required("url", Shape::Text)]),
    // Nobody is told of changes, as in the library without an engine that tells of them.
    served(
        "subscription",
        Known::Subscription,
        OBJECT_OR_SCHEMA,
        &[optional(
            "operations",
            Shape::SomeOf(&[
                "CREATE",
                UPDATE,
                "DELETE",
                "CREATE_RELATIONSHIP",
                "DELETE_RELATIONSHIP",
            ]),
        )],
    ),
    served(
        "timestamp",
        Known::Timestamp,
        FIELD,
        &[optional("operations", Shape::SomeOf(&["CREATE", UPDATE]))],
    ),
    served("unique", Known::Unique, FIELD, &[optional("constraintName", Shape::Text)]),
    served("writeonly", Known::Writeonly, FIELD, &[]),
    federation_not_yet("extends"),
    federation("external"),
    federation("inaccessible"),
    federation("key"),
    federation("link"),
    federation("override"),
    federation("provides"),
    federation_not_yet("requires"),
    federation("shareable"),
    federation("tag"),
];
