//! The directives of version 7.

use super::spec::{
    Known, Place, Shape, Spec, UPDATE, federation, federation_not_yet, in_javascript, optional,
    required, served,
};

const FIELD: &[Place] = &[Place::Field];
const OBJECT: &[Place] = &[Place::Object];
const EVENTS: &[&str] = &["CREATED", "UPDATED", "DELETED"];
pub(super) const CHANGES: &[&str] = &["CREATE", UPDATE, "DELETE"];
const NESTED: &[&str] = &["CREATE", UPDATE, "DELETE", "CONNECT", "DISCONNECT"];

pub(super) const INSTEAD_OF_RESOLVERS: &str =
    "keep the value as a property, or let a gateway or the client compute it";
pub(super) const INSTEAD_OF_CALLBACKS: &str =
    "use `@default`, `@timestamp` or `@id`, or let who writes send the value";

pub(super) const DIRECTIVES: &[Spec] = &[
    served("alias", Known::Alias, FIELD, &[required("property", Shape::Text)]),
    served(
        "authentication",
        Known::Authentication,
        &[Place::Schema, Place::Object, Place::Field],
        &[optional("operations", Shape::Anything), optional("jwt", Shape::Anything)],
    ),
    served(
        "authorization",
        Known::Authorization,
        &[Place::Object, Place::Field],
        &[optional("filter", Shape::Anything), optional("validate", Shape::Anything)],
    ),
    served("coalesce", Known::Coalesce, FIELD, &[required("value", Shape::Value)]),
    in_javascript(
        "customResolver",
        Known::CustomResolver,
        &[optional("requires", Shape::Text)],
        INSTEAD_OF_RESOLVERS,
    ),
    served(
        "cypher",
        Known::Statement,
        FIELD,
        &[required("statement", Shape::Text), required("columnName", Shape::Text)],
    ),
    served(
        "declareRelationship",
        Known::DeclareRelationship,
        FIELD,
        &[
            optional("nestedOperations", Shape::SomeOf(NESTED)),
            optional("aggregate", Shape::Boolean),
        ],
    ),
    served("default", Known::Default, FIELD, &[required("value", Shape::Value)]),
    served(
        "deprecated",
        Known::Deprecated,
        &[Place::Field, Place::EnumValue],
        &[optional("reason", Shape::Text)],
    ),
    served(
        "filterable",
        Known::Filterable,
        FIELD,
        &[optional("byValue", Shape::Boolean), optional("byAggregate", Shape::Boolean)],
    ),
    served(
        "fulltext",
        Known::Fulltext,
        OBJECT,
        &[required(
            "indexes",
            Shape::Objects(&[
                required("indexName", Shape::Text),
                required("queryName", Shape::Text),
                required("fields", Shape::Texts),
            ]),
        )],
    ),
    served("groupBy", Known::GroupBy, FIELD, &[]),
    served("id", Known::Id, FIELD, &[]),
    served("jwt", Known::Jwt, OBJECT, &[]),
    served("jwtClaim", Known::JwtClaim, FIELD, &[required("path", Shape::Text)]),
    served(
        "limit",
        Known::Limit,
        &[Place::Object, Place::Interface],
        &[optional("default", Shape::Integer), optional("max", Shape::Integer)],
    ),
    served(
        "mutation",
        Known::Mutation,
        &[Place::Object, Place::Schema],
        &[optional("operations", Shape::SomeOf(CHANGES))],
    ),
    served("node", Known::Node, OBJECT, &[optional("labels", Shape::Texts)]),
    served(
        "plural",
        Known::Plural,
        &[Place::Object, Place::Interface, Place::Union],
        &[required("value", Shape::Text)],
    ),
    in_javascript(
        "populatedBy",
        Known::PopulatedBy,
        &[
            required("callback", Shape::Text),
            optional("operations", Shape::SomeOf(&["CREATE", UPDATE])),
        ],
        INSTEAD_OF_CALLBACKS,
    ),
    served(
        "query",
        Known::Query,
        &[Place::Object, Place::Interface, Place::Union, Place::Schema],
        &[
            optional("read", Shape::Boolean),
            optional("connection", Shape::Boolean),
            optional("aggregate", Shape::Boolean),
        ],
    ),
    served(
        "relationship",
        Known::Relationship,
        FIELD,
        &[
            required("type", Shape::Text),
            required("direction", Shape::OneOf(&["IN", "OUT"])),
            optional("properties", Shape::Text),
            optional("queryDirection", Shape::OneOf(&["DIRECTED", "UNDIRECTED"])),
            optional("nestedOperations", Shape::SomeOf(NESTED)),
            optional("aggregate", Shape::Boolean),
        ],
    ),
    served("relationshipProperties", Known::RelationshipProperties, OBJECT, &[]),
    served("relayId", Known::RelayId, FIELD, &[]),
    served(
        "selectable",
        Known::Selectable,
        FIELD,
        &[optional("onRead", Shape::Boolean), optional("onAggregate", Shape::Boolean)],
    ),
    served(
        "settable",
        Known::Settable,
        FIELD,
        &[optional("onCreate", Shape::Boolean), optional("onUpdate", Shape::Boolean)],
    ),
    served("sortable", Known::Sortable, FIELD, &[optional("byValue", Shape::Boolean)]),
    served("specifiedBy", Known::SpecifiedBy, &[Place::Scalar], &[required("url", Shape::Text)]),
    served(
        "subscription",
        Known::Subscription,
        &[Place::Object, Place::Schema],
        &[optional("events", Shape::SomeOf(EVENTS))],
    ),
    served(
        "subscriptionsAuthorization",
        Known::SubscriptionsAuthorization,
        &[Place::Object, Place::Field],
        &[optional("filter", Shape::Anything)],
    ),
    served(
        "timestamp",
        Known::Timestamp,
        FIELD,
        &[optional("operations", Shape::SomeOf(&["CREATE", UPDATE]))],
    ),
    served(
        "vector",
        Known::Vector,
        OBJECT,
        &[required(
            "indexes",
            Shape::Objects(&[
                required("indexName", Shape::Text),
                required("embeddingProperty", Shape::Text),
                required("queryName", Shape::Text),
                optional(
                    "provider",
                    Shape::OneOf(&["VERTEX_AI", "OPEN_AI", "AZURE_OPEN_AI", "BEDROCK"]),
                ),
                optional("maxPhraseLength", Shape::Integer),
            ]),
        )],
    ),
    federation("authenticated"),
    federation_not_yet("composeDirective"),
    federation_not_yet("extends"),
    federation("external"),
    federation("inaccessible"),
    federation("interfaceObject"),
    federation("key"),
    federation("link"),
    federation("override"),
    federation("provides"),
    federation_not_yet("requires"),
    federation("shareable"),
    federation("tag"),
];
