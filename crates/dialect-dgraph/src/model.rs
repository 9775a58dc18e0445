//! What type definitions mean, after all their rules are checked.
//!
//! Names are those of the definitions; references between types are indexes. `None` and `false` are
//! what the absence of a directive means.

use std::fmt;

use access::Pattern;

/// Everything that type definitions say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Types and interfaces, in the order of the definitions.
    pub types: Vec<Type>,
    pub unions: Vec<Union>,
    pub enums: Vec<Enum>,
    /// Input types of the definitions, all of which belong to custom fields.
    pub inputs: Vec<Input>,
    /// Fields of `Query` in the definitions.
    pub queries: Vec<Field>,
    /// Fields of `Mutation` in the definitions.
    pub mutations: Vec<Field>,
    pub settings: Settings,
}

/// The index of a type in [`Model::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeIndex(pub usize);

/// The index of a union in [`Model::unions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnionIndex(pub usize);

/// The index of an enum in [`Model::enums`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnumIndex(pub usize);

/// The index of an input type in [`Model::inputs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InputIndex(pub usize);

/// A type or an interface.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    pub kind: TypeKind,
    /// Interfaces that it implements, in the order written.
    pub implements: Vec<TypeIndex>,
    /// Inherited fields first, by interface, then its own.
    pub fields: Vec<Field>,
    /// `@secret`.
    pub secret: Option<Secret>,
    /// The name of its rows in the database: `@dgraph(type:)`, or its name.
    pub stored_name: Box<str>,
    pub auth: Auth,
    pub generate: Generate,
    /// True with `@withSubscription`.
    pub has_subscription: bool,
    /// True with `@remote`: it is not stored.
    pub is_remote: bool,
    pub federation: Federation,
    /// The line of the definition, from 1.
    pub line: usize,
}

/// Kinds of types with fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeKind {
    Object,
    Interface,
}

/// `@secret(field:, pred:)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The name of the argument and input field.
    pub field: Box<str>,
    pub stored_name: Box<str>,
    /// The interface that declares it, if the type inherits it.
    pub inherited: Option<TypeIndex>,
}

/// A field of a type, an interface, or a root type.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    pub r#type: FieldType,
    /// The interface that declares it, if the type inherits it.
    pub inherited: Option<TypeIndex>,
    /// `@id`, with its argument `interface`.
    pub id: Option<XidScope>,
    /// `@search`, in the order in which the names of filter types have them. Empty: not searchable.
    pub search: Vec<Search>,
    /// `@default(add:)` and `@default(update:)`.
    pub default_on_add: Option<Default>,
    pub default_on_update: Option<Default>,
    /// The field of the other type that holds the same relation: `@hasInverse` at either end, or a
    /// reverse predicate (`@dgraph(pred: "~…")`).
    pub inverse: Option<Inverse>,
    /// The name in the database: `@dgraph(pred:)`, or the name of the field, which has that of its
    /// type before it where another field of the type has the same stored name.
    pub stored_name: Box<str>,
    /// True with `@embedding`.
    pub is_embedding: bool,
    pub custom: Option<Custom>,
    pub arguments: Vec<InputValue>,
    /// The reason of `@deprecated`.
    pub deprecated: Option<Box<str>>,
    pub federation: FieldFederation,
    /// True with `@withSubscription` on a custom query.
    pub has_subscription: bool,
    /// `@remoteResponse(name:)`.
    pub remote_name: Option<Box<str>>,
    /// The line of the definition, from 1.
    pub line: usize,
}

/// The type of a field, with its lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldType {
    pub base: Base,
    /// True if null is refused, of the list if it is one.
    pub is_required: bool,
    /// For a list, whether its elements refuse null.
    pub list: Option<Elements>,
}

/// Elements of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elements {
    pub are_required: bool,
}

/// Types of fields without their lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    Scalar(Scalar),
    Enum(EnumIndex),
    Type(TypeIndex),
    Union(UnionIndex),
    /// Only of arguments and members of inputs.
    Input(InputIndex),
}

/// Scalar types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    Id,
    Boolean,
    Int,
    Int64,
    Float,
    String,
    DateTime,
    Point,
    Polygon,
    MultiPolygon,
}

/// The rows among which the value of an `@id` field is unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XidScope {
    Type,
    /// All types that implement the interface: `@id(interface: true)`.
    Interface,
}

/// Indexes of `@search(by:)`, in the order of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Search {
    Bool,
    Day,
    Exact,
    Float,
    Fulltext,
    Geo,
    Hash,
    Hnsw(Metric, Candidates),
    Hour,
    Int,
    Int64,
    Month,
    Ngram,
    Regexp,
    Term,
    Trigram,
    Year,
}

/// Numbers of candidates of an `hnsw` index; `None`: the database's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Candidates {
    /// For the neighbors of a new vector.
    pub construction: Option<u16>,
    /// Visited by a search.
    pub search: Option<u16>,
}

/// Distances of `hnsw` indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    Euclidean,
    Cosine,
    DotProduct,
}

/// A value of `@default`.
#[derive(Clone, Debug, PartialEq)]
pub enum Default {
    /// `$now`.
    Now,
    /// The text of the value, of the field's type.
    Value(Box<str>),
}

/// The field at the other end of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inverse {
    pub r#type: TypeIndex,
    /// The index of the field among those of the type.
    pub field: usize,
    /// True if this field has the directive.
    pub is_declared: bool,
}

/// A union, with its members in the order written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Union {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    pub members: Vec<TypeIndex>,
    pub is_remote: bool,
    pub line: usize,
}

/// An enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    pub values: Vec<EnumValue>,
    pub is_remote: bool,
    pub line: usize,
}

/// A value of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumValue {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    pub deprecated: Option<Box<str>>,
}

/// An input type of the definitions.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    pub members: Vec<InputValue>,
    pub is_remote: bool,
    pub line: usize,
}

/// An argument, or a member of an input type.
#[derive(Clone, Debug, PartialEq)]
pub struct InputValue {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    pub r#type: FieldType,
    /// The default value, as GraphQL writes it.
    pub default: Option<Box<str>>,
}

/// `@generate`: the operations of a type that its API has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generate {
    pub get: bool,
    pub query: bool,
    pub password: bool,
    pub aggregate: bool,
    pub add: bool,
    pub update: bool,
    pub delete: bool,
}

/// `@auth`: a rule for each operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Auth {
    pub query: Option<Rule>,
    pub add: Option<Rule>,
    pub update: Option<Rule>,
    pub delete: Option<Rule>,
    pub password: Option<Rule>,
}

/// A rule of `@auth`.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    And(Vec<Rule>),
    Or(Vec<Rule>),
    Not(Box<Rule>),
    /// A condition on a claim: `{$ROLE: {eq: "ADMIN"}}`.
    Claim(ClaimRule),
    /// A query of the type: the rows that it finds pass. The text of a GraphQL document.
    Query {
        document: Box<str>,
        /// Its line and column in the definitions.
        place: (usize, usize),
    },
}

/// A condition on a claim of the token.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimRule {
    /// Without the `$`.
    pub claim: Box<str>,
    pub condition: ClaimCondition,
}

/// Conditions on a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum ClaimCondition {
    Equal(ClaimValue),
    In(Vec<ClaimValue>),
    Matches(Pattern),
}

/// Values that claims are compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum ClaimValue {
    Text(Box<str>),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    /// An object, as JSON.
    Object(Box<str>),
}

/// A field that another server answers: `@custom` and `@lambda`.
#[derive(Clone, Debug, PartialEq)]
pub enum Custom {
    Http(CustomHttp),
    /// `@custom(dql:)`: a query in Dgraph's own language.
    Dql(Box<str>),
    Lambda,
}

/// `@custom(http:)`, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomHttp {
    pub url: Box<str>,
    pub method: Box<str>,
    pub body: Option<Box<str>>,
    pub graphql: Option<Box<str>>,
    pub is_batch: bool,
    pub forward_headers: Vec<Box<str>>,
    pub secret_headers: Vec<Box<str>>,
    pub introspection_headers: Vec<Box<str>>,
    pub skip_introspection: bool,
}

/// Directives of Apollo Federation on a type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Federation {
    /// `@key(fields:)`.
    pub key: Option<Box<str>>,
    pub is_extended: bool,
}

/// Directives of Apollo Federation on a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldFederation {
    pub is_external: bool,
    pub requires: Option<Box<str>>,
    pub provides: Option<Box<str>>,
}

/// `# Dgraph.Authorization`: the verification of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authorization {
    /// The header with the token.
    pub header: Box<str>,
    /// The claim that is an object with further claims, or a text of one as JSON.
    pub namespace: Box<str>,
    pub keys: TokenKeys,
    /// Accepted audiences. Empty: a token has none.
    pub audiences: Vec<Box<str>>,
    /// True if requests without a token are refused: `ClosedByDefault`.
    pub is_required: bool,
    /// The line of the comment, from 1.
    pub line: usize,
}

/// The keys that verify tokens.
#[derive(Clone, PartialEq, Eq)]
pub enum TokenKeys {
    /// A secret of HS256, HS384 or HS512.
    Secret { algorithm: Box<str>, secret: Box<str> },
    /// A public key of RS256, RS384 or RS512, as PEM.
    Public { algorithm: Box<str>, pem: Box<str> },
    /// URLs of JSON Web Key Sets.
    Sets(Vec<Box<str>>),
}

/// Keys are not printed, since some are secret.
impl fmt::Debug for TokenKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Secret { algorithm, .. } => f.debug_tuple("Secret").field(algorithm).finish(),
            Self::Public { algorithm, .. } => f.debug_tuple("Public").field(algorithm).finish(),
            Self::Sets(urls) => f.debug_tuple("Sets").field(urls).finish(),
        }
    }
}

/// Settings in comments of the definitions: lines that begin with `# Dgraph.`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// `# Dgraph.Authorization`.
    pub authorization: Option<Authorization>,
    /// `# Dgraph.Secret name "value"`.
    pub secrets: Vec<(Box<str>, Box<str>)>,
    /// `# Dgraph.Allow-Origin "origin"`.
    pub allowed_origins: Vec<Box<str>>,
}
