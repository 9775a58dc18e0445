//! What is known of a directive.

use crate::definitions::problem::Unserved;

/// A directive of the library's, or of GraphQL itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::definitions) enum Known {
    Alias,
    Auth,
    Authentication,
    Authorization,
    Callback,
    Coalesce,
    Computed,
    CustomResolver,
    /// `@cypher`.
    Statement,
    DeclareRelationship,
    Default,
    Deprecated,
    Exclude,
    /// Any of those of a federated graph.
    Federation,
    Filterable,
    Fulltext,
    GroupBy,
    Id,
    Jwt,
    JwtClaim,
    Limit,
    Mutation,
    Node,
    Plural,
    PopulatedBy,
    Private,
    Query,
    QueryOptions,
    Readonly,
    Relationship,
    RelationshipProperties,
    RelayId,
    Selectable,
    Settable,
    Sortable,
    SpecifiedBy,
    Subscription,
    SubscriptionsAuthorization,
    Timestamp,
    Unique,
    Vector,
    Writeonly,
}

/// A name among the operations of directives; as a literal it would look like the beginning of a
/// statement.
pub(in crate::definitions) const UPDATE: &str = stringify!(UPDATE);

/// Where a directive can stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::definitions) enum Place {
    Schema,
    Scalar,
    Object,
    Interface,
    Union,
    Enum,
    EnumValue,
    InputObject,
    Field,
}

impl Place {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Schema => "the schema",
            Self::Scalar => "a scalar",
            Self::Object => "a type",
            Self::Interface => "an interface",
            Self::Union => "a union",
            Self::Enum => "an enum",
            Self::EnumValue => "a value of an enum",
            Self::InputObject => "an input",
            Self::Field => "a field",
        }
    }
}

/// A directive in one version.
#[derive(Debug)]
pub(super) struct Spec {
    pub(super) name: &'static str,
    pub(super) directive: Known,
    pub(super) places: &'static [Place],
    pub(super) arguments: &'static [Argument],
    pub(super) service: Service,
}

/// What is done about a directive.
#[derive(Clone, Copy, Debug)]
pub(super) enum Service {
    Served,
    NotYet(Unserved),
    /// With what can be done instead.
    JavaScript(&'static str),
}

#[derive(Debug)]
pub(super) struct Argument {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) is_required: bool,
}

/// Which values an argument takes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Boolean,
    Integer,
    Text,
    /// A list of texts, or one alone, as GraphQL lets be said of every list.
    Texts,
    /// A name of these.
    OneOf(&'static [&'static str]),
    /// A list of such, or one alone.
    SomeOf(&'static [&'static str]),
    Object(&'static [Argument]),
    /// A list of such, or one alone.
    Objects(&'static [Argument]),
    /// Whatever the type of the field asks for.
    Value,
    /// What only who serves the directive can tell.
    Anything,
}

pub(super) const fn required(name: &'static str, shape: Shape) -> Argument {
    Argument { name, shape, is_required: true }
}

pub(super) const fn optional(name: &'static str, shape: Shape) -> Argument {
    Argument { name, shape, is_required: false }
}

pub(super) const fn served(
    name: &'static str,
    directive: Known,
    places: &'static [Place],
    arguments: &'static [Argument],
) -> Spec {
    Spec { name, directive, places, arguments, service: Service::Served }
}

pub(super) const fn not_yet(
    name: &'static str,
    directive: Known,
    why: Unserved,
    places: &'static [Place],
    arguments: &'static [Argument],
) -> Spec {
    Spec { name, directive, places, arguments, service: Service::NotYet(why) }
}

pub(super) const fn in_javascript(
    name: &'static str,
    directive: Known,
    arguments: &'static [Argument],
    instead: &'static str,
) -> Spec {
    let service = Service::JavaScript(instead);
    Spec { name, directive, places: &[Place::Field], arguments, service }
}

/// All arguments of federation's directives.
const FEDERATED: &[Argument] = &[
    optional("fields", Shape::Anything),
    optional("resolvable", Shape::Anything),
    optional("url", Shape::Anything),
    optional("as", Shape::Anything),
    optional("for", Shape::Anything),
    optional("import", Shape::Anything),
    optional("name", Shape::Anything),
    optional("from", Shape::Anything),
    optional("label", Shape::Anything),
];

/// A directive of federation that is not served.
pub(super) const fn federation_not_yet(name: &'static str) -> Spec {
    Spec { service: Service::NotYet(Unserved::Federation), ..federation(name) }
}

/// A directive of federation, whose arguments only federation can tell.
pub(super) const fn federation(name: &'static str) -> Spec {
    use Place::{Enum, EnumValue, Field, InputObject, Interface, Object, Scalar, Schema, Union};
    Spec {
        name,
        directive: Known::Federation,
        places: &[Schema, Scalar, Object, Interface, Union, Enum, EnumValue, InputObject, Field],
        arguments: FEDERATED,
        service: Service::Served,
    }
}
