//! Specifications that a subgraph may link, their directives, and the definitions that these have in
//! supergraphs.
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/versions>

use std::fmt;

/// Meaning of an applied directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Meaning {
    Key,
    Requires,
    Provides,
    External,
    Extends,
    Shareable,
    Override,
    InterfaceObject,
    ComposeDirective,
    FromContext,
    /// Merged into the supergraph.
    Merged(MergedDirective),
    Link,
    /// A REST connector.
    Connect,
    /// A server of REST connectors.
    Source,
    /// A directive of the schema, or one without a definition.
    Custom,
}

/// A directive of a specification that is merged into the supergraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum MergedDirective {
    Inaccessible,
    Tag,
    Authenticated,
    RequiresScopes,
    Policy,
    Context,
    Cost,
    ListSize,
    CacheTag,
    Deprecated,
    SpecifiedBy,
    OneOf,
}

pub(crate) use MergedDirective as Directive;

/// Version of a specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Version {
    pub(crate) major: u32,
    pub(crate) minor: u32,
}

impl Version {
    pub(crate) const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// Parses `v2.3`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.strip_prefix('v')?.split_once('.')?;
        Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}.{}", self.major, self.minor)
    }
}

/// Federation without a link.
pub(crate) const FEDERATION_1: Version = Version::new(1, 0);

/// Version of Federation that schemas of Federation 1 are upgraded to.
pub(crate) const UPGRADED_FEDERATION: Version = Version::new(2, 4);

/// Newest version of Federation whose rules are implemented; later ones add none.
pub(crate) const NEWEST_FEDERATION: Version = Version::new(2, 15);

/// Address of the specifications of Federation.
pub(crate) const SPECIFICATIONS: &str = "https://specs.apollo.dev";

const V2_0: Version = Version::new(2, 0);

/// Directives of Federation, with the version that has introduced them.
pub(crate) const FEDERATION: &[(&str, Meaning, Version)] = &[
    ("key", Meaning::Key, FEDERATION_1),
    ("requires", Meaning::Requires, FEDERATION_1),
    ("provides", Meaning::Provides, FEDERATION_1),
    ("external", Meaning::External, FEDERATION_1),
    ("extends", Meaning::Extends, FEDERATION_1),
    ("tag", Meaning::Merged(Directive::Tag), FEDERATION_1),
    ("shareable", Meaning::Shareable, V2_0),
    ("override", Meaning::Override, V2_0),
    ("inaccessible", Meaning::Merged(Directive::Inaccessible), V2_0),
    ("composeDirective", Meaning::ComposeDirective, Version::new(2, 1)),
    ("interfaceObject", Meaning::InterfaceObject, Version::new(2, 3)),
    ("authenticated", Meaning::Merged(Directive::Authenticated), Version::new(2, 5)),
    ("requiresScopes", Meaning::Merged(Directive::RequiresScopes), Version::new(2, 5)),
    ("policy", Meaning::Merged(Directive::Policy), Version::new(2, 6)),
    ("context", Meaning::Merged(Directive::Context), Version::new(2, 8)),
    ("fromContext", Meaning::FromContext, Version::new(2, 8)),
    ("cost", Meaning::Merged(Directive::Cost), Version::new(2, 9)),
    ("listSize", Meaning::Merged(Directive::ListSize), Version::new(2, 9)),
    ("cacheTag", Meaning::Merged(Directive::CacheTag), Version::new(2, 12)),
];

/// Types of Federation.
pub(crate) const FEDERATION_TYPES: &[&str] = &["FieldSet", "Scope", "Policy", "ContextFieldValue"];

/// Other specifications whose directives a subgraph may link on their own; a directive without a
/// name is called as its specification.
pub(crate) const OTHERS: &[(&str, &[(&str, Meaning)])] = &[
    ("link", &[("", Meaning::Link)]),
    ("tag", &[("", Meaning::Merged(Directive::Tag))]),
    ("inaccessible", &[("", Meaning::Merged(Directive::Inaccessible))]),
    ("authenticated", &[("", Meaning::Merged(Directive::Authenticated))]),
    ("requiresScopes", &[("", Meaning::Merged(Directive::RequiresScopes))]),
    ("policy", &[("", Meaning::Merged(Directive::Policy))]),
    (
        "context",
        &[("", Meaning::Merged(Directive::Context)), ("fromContext", Meaning::FromContext)],
    ),
    (
        "cost",
        &[
            ("", Meaning::Merged(Directive::Cost)),
            ("listSize", Meaning::Merged(Directive::ListSize)),
        ],
    ),
    ("cacheTag", &[("", Meaning::Merged(Directive::CacheTag))]),
    ("connect", &[("", Meaning::Connect), ("source", Meaning::Source)]),
];

/// Versions of Federation that brought specifications; a subgraph that links one has the rules of this
/// version.
pub(crate) const BROUGHT_BY: &[(&str, Version)] = &[
    ("authenticated", Version::new(2, 5)),
    ("requiresScopes", Version::new(2, 5)),
    ("policy", Version::new(2, 6)),
    ("context", Version::new(2, 8)),
    ("cost", Version::new(2, 9)),
    ("connect", Version::new(2, 10)),
    ("cacheTag", Version::new(2, 12)),
];

/// Directives of GraphQL itself on schemas.
pub(crate) const BUILT_IN: &[(&str, Meaning)] = &[
    ("deprecated", Meaning::Merged(Directive::Deprecated)),
    ("specifiedBy", Meaning::Merged(Directive::SpecifiedBy)),
    ("oneOf", Meaning::Merged(Directive::OneOf)),
];

/// A specification in a supergraph.
#[derive(Debug)]
pub(crate) struct Specification {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) is_security: bool,
    /// Definitions, without those of directives.
    pub(crate) types: &'static str,
}

impl MergedDirective {
    /// All, in the order of their links in a supergraph.
    pub(crate) const ALL: &[Self] = &[
        Self::Tag,
        Self::Inaccessible,
        Self::Authenticated,
        Self::RequiresScopes,
        Self::Policy,
        Self::Context,
        Self::Cost,
        Self::ListSize,
        Self::CacheTag,
        Self::Deprecated,
        Self::SpecifiedBy,
        Self::OneOf,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Inaccessible => "inaccessible",
            Self::Tag => "tag",
            Self::Authenticated => "authenticated",
            Self::RequiresScopes => "requiresScopes",
            Self::Policy => "policy",
            Self::Context => "context",
            Self::Cost => "cost",
            Self::ListSize => "listSize",
            Self::CacheTag => "cacheTag",
            Self::Deprecated => "deprecated",
            Self::SpecifiedBy => "specifiedBy",
            Self::OneOf => "oneOf",
        }
    }

    /// Returns the specification of a directive; GraphQL itself has none.
    pub(crate) fn specification(self) -> Option<Specification> {
        let (name, version, is_security, types) = match self {
            Self::Tag => ("tag", "v0.3", false, ""),
            Self::Inaccessible => ("inaccessible", "v0.2", true, ""),
            Self::Authenticated => ("authenticated", "v0.1", true, ""),
            Self::RequiresScopes => {
                ("requiresScopes", "v0.1", true, "scalar requiresScopes__Scope")
            }
            Self::Policy => ("policy", "v0.1", true, "scalar policy__Policy"),
            Self::Context => ("context", "v0.1", true, "scalar context__ContextFieldValue"),
            Self::Cost | Self::ListSize => ("cost", "v0.1", false, ""),
            Self::CacheTag => ("cacheTag", "v0.1", false, ""),
            Self::Deprecated | Self::SpecifiedBy | Self::OneOf => return None,
        };
        Some(Specification { name, version, is_security, types })
    }

    /// Returns the definition of a directive, after its name.
    pub(crate) fn definition(self) -> &'static str {
        const AUTHORIZATION: &str = " on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM";
        match self {
            Self::Tag => {
                "(name: String!) repeatable on FIELD_DEFINITION | OBJECT | INTERFACE | UNION | \
                 ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | \
                 INPUT_FIELD_DEFINITION | SCHEMA"
            }
            Self::Inaccessible => {
                " on FIELD_DEFINITION | OBJECT | INTERFACE | UNION | ARGUMENT_DEFINITION | SCALAR \
                 | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION"
            }
            Self::Authenticated => AUTHORIZATION,
            Self::RequiresScopes => {
                "(scopes: [[requiresScopes__Scope!]!]!) on FIELD_DEFINITION | OBJECT | INTERFACE | \
                 SCALAR | ENUM"
            }
            Self::Policy => {
                "(policies: [[policy__Policy!]!]!) on FIELD_DEFINITION | OBJECT | INTERFACE | \
                 SCALAR | ENUM"
            }
            Self::Context => "(name: String!) repeatable on INTERFACE | OBJECT | UNION",
            Self::Cost => {
                "(weight: Int!) on ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | \
                 INPUT_FIELD_DEFINITION | OBJECT | SCALAR"
            }
            Self::ListSize => {
                "(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], \
                 requireOneSlicingArgument: Boolean = true) on FIELD_DEFINITION"
            }
            // It is applied by `@join__directive`.
            Self::CacheTag | Self::Deprecated | Self::SpecifiedBy | Self::OneOf => "",
        }
    }
}
