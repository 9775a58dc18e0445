//! What type definitions say, in either version of the library's API.
//!
//! Names are those of the definitions; what has no representation was refused when they were read.

pub mod rules;
mod statement;
pub mod wanted;

use std::sync::Arc;

pub use access::Constant;
use api::federation::AppliedDirectives;
use ir::EventKind;
use rules::{ClaimNames, WrittenRestriction};
pub use statement::{
    Given, InputKind, InputType, InputValue, ObjectField, ObjectType, StatementField,
    StatementPart, Wrapping,
};

/// Everything that type definitions say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// In the order of the definitions.
    pub nodes: Vec<NodeType>,
    /// The types of the properties of relationships.
    pub properties: Vec<PropertiesType>,
    pub interfaces: Vec<InterfaceType>,
    pub unions: Vec<UnionType>,
    pub enums: Vec<EnumType>,
    /// Scalars of the definitions' own, whose values are as they are.
    pub scalars: Vec<ScalarType>,
    /// Objects that are no nodes, and objects that requests give.
    pub objects: Vec<ObjectType>,
    pub inputs: Vec<InputType>,
    /// The fields of the roots that statements give.
    pub queries: Vec<ModelField>,
    pub mutations: Vec<ModelField>,
    /// What the schema itself says of all types.
    pub offers: Offers,
    /// Who may see and change what.
    pub restrictions: Vec<WrittenRestriction>,
    pub claims: ClaimNames,
    /// What routers are told of types and their fields, where the API is a subgraph.
    pub federation: Vec<AppliedDirectives>,
}

/// A type of nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeType {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    /// Which labels a node has; the type's name unless they are said. At least one, or
    /// [`Self::claimed_labels`] has one.
    pub labels: Vec<Arc<str>>,
    /// The claims of who asks that are labels, too.
    pub claimed_labels: Vec<Arc<str>>,
    /// The plural that is said for it.
    pub plural: Option<Arc<str>>,
    /// Names of interfaces, in the order of the definition.
    pub interfaces: Vec<Arc<str>>,
    /// In the order of the definition.
    pub fields: Vec<ModelField>,
    pub offers: Offers,
    /// The events that clients can subscribe to: `@subscription`.
    pub events: Events,
    pub limit: Limit,
    pub fulltext: Vec<FulltextIndex>,
    pub vector: Vec<VectorIndex>,
    pub deprecated: Option<Arc<str>>,
}

/// A type of the properties of relationships.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PropertiesType {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    pub fields: Vec<ModelField>,
}

/// An interface of node types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InterfaceType {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    pub plural: Option<Arc<str>>,
    /// Names of interfaces that it implements itself.
    pub interfaces: Vec<Arc<str>>,
    /// The node types that implement it, by their places in [`Model::nodes`], in that order.
    pub implementations: Vec<usize>,
    pub fields: Vec<ModelField>,
    /// Its fields of which only its types say where they lead.
    pub shown: Vec<ShownField>,
    pub offers: Offers,
    pub limit: Limit,
}

/// A field of an interface that shows nodes, as each of its types has it: it can be asked for, and
/// says nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownField {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    /// As GraphQL writes it.
    pub r#type: Arc<str>,
    /// What is at the bottom of it.
    pub target: Target,
    pub deprecated: Option<Arc<str>>,
    /// How many of [`InterfaceType::fields`] stand before it.
    pub before: usize,
}

/// A union of node types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnionType {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    pub plural: Option<Arc<str>>,
    /// By their places in [`Model::nodes`], in the order of the definition.
    pub members: Vec<usize>,
    pub offers: Offers,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnumType {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    pub values: Vec<EnumTypeValue>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnumTypeValue {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    pub deprecated: Option<Arc<str>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScalarType {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    pub specified_by: Option<Arc<str>>,
}

/// A field of a node type, an interface or the properties of relationships.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelField {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    /// Its name in the database.
    pub property: Arc<str>,
    pub kind: FieldKind,
    pub offers: FieldOffers,
    pub deprecated: Option<Arc<str>>,
    /// The line of the definitions where it stands, from 1.
    pub line: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind {
    Property(Property),
    Relationship(RelationshipField),
    /// What a statement of the definitions' author gives.
    Statement(StatementField),
    /// Nodes or maps in the maps that statements give of the type; version 3 has no types of maps. Of an
    /// interface: what its types say for themselves.
    Part(Given),
}

/// A stored value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    pub r#type: PropertyType,
    /// Whether it is a list of such.
    pub is_list: bool,
    /// Whether the value, or the list, is said to be there always.
    pub is_required: bool,
    /// Whether the elements of a list are.
    pub are_elements_required: bool,
    /// What makes its value, if the request does not.
    pub made: Option<Made>,
    /// Whether no two nodes of the type have the same: `@unique` of version 3, `@id` of both.
    pub is_unique: bool,
    /// What the constraint is called that keeps them apart, where version 3's `@unique` says it.
    pub constraint: Option<Arc<str>>,
    /// Whether it is what global ids are made of.
    pub is_relay_id: bool,
    /// The value of a new node where none is given.
    pub default: Option<Constant>,
    /// The value that is shown, and compared, where there is none.
    pub coalesce: Option<Constant>,
}

/// What makes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// `@id`: a new random UUID.
    Id,
    /// `@timestamp`: the time when something was done.
    Timestamp { on_create: bool, on_update: bool },
}

/// The type of a stored value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PropertyType {
    Boolean,
    Id,
    Int,
    BigInt,
    Float,
    String,
    Date,
    Time,
    LocalTime,
    DateTime,
    LocalDateTime,
    Duration,
    Point,
    CartesianPoint,
    /// By its place in [`Model::enums`].
    Enum(usize),
    /// By its place in [`Model::scalars`].
    Scalar(usize),
}

/// Field that leads to nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationshipField {
    pub r#type: Arc<str>,
    pub direction: ModelDirection,
    /// How it is followed by queries, where that is not as it is written.
    pub query_direction: QueryDirection,
    pub target: Target,
    /// Whether it leads to any number of nodes, and not to one at most.
    pub is_list: bool,
    pub is_required: bool,
    /// The type of its properties, by its place in [`Model::properties`].
    pub properties: Option<usize>,
    pub nested: NestedOperations,
    /// Whether what is on the other side is aggregated.
    pub is_aggregated: bool,
    /// Whether it is a `@declareRelationship` of an interface: then nothing of the above but the
    /// target holds.
    pub is_declared: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelDirection {
    In,
    Out,
    Undirected,
}

/// `queryDirection`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueryDirection {
    /// As it is written (version 7), or unless the request says something else (version 3).
    #[default]
    Directed,
    Undirected,
    /// version 3: `DEFAULT_UNDIRECTED`.
    UndirectedByDefault,
    /// version 3: `DIRECTED_ONLY`, without an argument that says something else.
    DirectedOnly,
    /// version 3: `UNDIRECTED_ONLY`.
    UndirectedOnly,
}

/// What is on the other side; each by its place in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    Node(usize),
    Interface(usize),
    Union(usize),
}

/// Which nested operations a relationship has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NestedOperations {
    pub create: bool,
    pub update: bool,
    pub delete: bool,
    pub connect: bool,
    pub disconnect: bool,
    /// version 3 only.
    pub connect_or_create: bool,
}

impl NestedOperations {
    pub const ALL: Self = Self {
        create: true,
        update: true,
        delete: true,
        connect: true,
        disconnect: true,
        connect_or_create: true,
    };
}

/// Which root fields there are: `@query`, `@mutation`, `@subscription`, `@exclude`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offers {
    pub read: bool,
    /// Whether there is a connection at the root; in version 3 the same as `read`.
    pub connection: bool,
    pub aggregate: bool,
    pub create: bool,
    pub update: bool,
    pub delete: bool,
}

impl Default for Offers {
    fn default() -> Self {
        Self {
            read: true,
            connection: true,
            aggregate: true,
            create: true,
            update: true,
            delete: true,
        }
    }
}

/// Where a field stands: `@selectable`, `@settable`, `@filterable`, `@sortable`, and version 3's
/// `@private`, `@readonly`, `@writeonly`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldOffers {
    pub on_read: bool,
    pub on_aggregate: bool,
    pub on_create: bool,
    pub on_update: bool,
    pub by_value: bool,
    pub by_aggregate: bool,
    pub sortable: bool,
    /// Whether nodes are put in groups by it.
    pub grouped: bool,
}

impl FieldOffers {
    /// Everything that a field offers by itself.
    pub const ALL: Self = Self {
        on_read: true,
        on_aggregate: true,
        on_create: true,
        on_update: true,
        by_value: true,
        by_aggregate: true,
        sortable: true,
        grouped: false,
    };
}

/// Events of the nodes of a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Events {
    pub created: bool,
    pub updated: bool,
    pub deleted: bool,
}

impl Events {
    pub(crate) fn has(self, kind: EventKind) -> bool {
        match kind {
            EventKind::Created => self.created,
            EventKind::Updated => self.updated,
            EventKind::Deleted => self.deleted,
        }
    }

    pub(crate) fn are_some(self) -> bool {
        self.created || self.updated || self.deleted
    }
}

/// `@limit`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    pub default: Option<u32>,
    pub max: Option<u32>,
}

/// An index of `@fulltext`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FulltextIndex {
    pub index: Arc<str>,
    pub query: Option<Arc<str>>,
    pub fields: Vec<Arc<str>>,
}

/// An index of `@vector`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VectorIndex {
    pub index: Arc<str>,
    pub query: Arc<str>,
    /// The name of the property in the database.
    pub property: Arc<str>,
}

/// Whose API it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ApiVersion {
    /// Of versions 3.18 to 3.20, with `options:`.
    V3,
    /// Of versions 7.
    #[default]
    V7,
}

/// Ids of a model in a catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placed {
    /// By the places of [`Model::nodes`].
    pub nodes: Vec<PlacedNode>,
    /// By the places of [`Model::properties`]: the entity, and the field of each of its fields.
    pub properties: Vec<(catalog::EntityId, Vec<catalog::FieldId>)>,
    /// By the places of [`Model::enums`].
    pub enums: Vec<catalog::EnumId>,
    /// Fields of one property of a type: each but the first, with the first.
    pub twins: Vec<(catalog::FieldId, catalog::FieldId)>,
    /// How well an index has found a node, if there are such indexes.
    pub score: Option<catalog::FieldId>,
    /// By the places of [`Model::objects`]: the entity, and the field of each of its fields.
    pub objects: Vec<(catalog::EntityId, Vec<catalog::FieldId>)>,
    /// By the places of [`Model::queries`] and [`Model::mutations`].
    pub queries: Vec<PlacedStatement>,
    pub mutations: Vec<PlacedStatement>,
}

/// Ids of a node type in a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedNode {
    pub entity: catalog::EntityId,
    /// By the places of its fields.
    pub fields: Vec<PlacedField>,
    /// By the places of [`NodeType::fulltext`].
    pub fulltext: Vec<catalog::SearchId>,
    /// By the places of [`NodeType::vector`].
    pub vectors: Vec<catalog::SearchId>,
}

/// Ids of a field of a node type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlacedField {
    Property(catalog::FieldId),
    /// The path to each entity on the other side, in the order of the target's types.
    Paths(Vec<Path>),
    Statement(PlacedStatement),
}

/// Ids of a field that a statement returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedStatement {
    pub function: catalog::FunctionId,
    /// Of values the only field of the function's own entity.
    pub value: Option<catalog::FieldId>,
    pub entity: catalog::EntityId,
}

/// Path to the nodes of one type: the relationships that queries and writes use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    pub entity: catalog::EntityId,
    /// The relationship of queries.
    pub hop: ir::Hop,
    /// The relationship of queries in either direction.
    pub undirected: ir::Hop,
    /// The relationship of writes.
    pub written: ir::Hop,
}
