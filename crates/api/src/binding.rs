//! Bindings: the meaning of each position of an API's schema in the request tree.
//!
//! * [`argument`]: arguments of fields that return rows or values
//! * [`filter`]: conditions on rows
//! * [`order`]: orders and groups
//! * [`write`](mod@write): changes
//! * [`function`]: calls of functions
//! * [`objects`]: changes of objects that refer to each other
//! * [`relation`]: changes of rows with the rows of their relations
//! * [`event`]: events of changed rows
//! * [`graph`]: relationships of a graph, rows of several entities

pub mod argument;
pub mod event;
pub mod filter;
pub mod function;
pub mod graph;
mod meaning;
pub mod objects;
pub mod order;
pub mod relation;
pub mod write;

use std::sync::Arc;

use catalog::{EntityId, FieldId, FunctionId, SearchId};
use graphql::schema::TypeId;
use ir::{
    AggregateFunction, Codec, Direction, EventKind, Form, Hop, Nulls, Operand, Represented, State,
    ValueRef,
};
use response::{Figure, Leaf, Part};

pub use argument::{ArgumentRole, MostRows, NearestRole, PagePart};
pub use event::{EventPart, EventRole, NamedValue, ValuePlace, event_label};
pub use filter::{
    CompositePlace, DeclaredRole, FilterRole, OneOf, OperatorRole, RowsRole, Subject,
};
pub use function::{
    ArgumentBinding, CallBinding, ComputedBinding, ExternalArgument, OmittedArguments,
};
pub use graph::{
    AssignVerb, Cursors, INVALID_NODE_ID, LinkRule, MultiEntityRole, NestedRelationship,
    NestedWriteVerb, NodeRules, RelationshipVariant, RelationshipVariantsId, VariantBinding,
    VariantLink, VariantsId, key_cursors, member_cursors,
};
pub use meaning::Meaning;
pub use objects::{
    ChangedTypes, HoldingField, ObjectBinding, ObjectLink, ObjectRelation, ObjectRole,
    ObjectTarget, RequiredMember,
};
pub use order::{CursorMember, GroupBy, OrderBy, OrderRole};
pub use relation::{
    Cascade, ElementRows, LimitedText, RelatedChange, RelatedChangeKind, RelatedRole, RelatedRows,
    RelatedRowsId, RelationLink, RelationPath, RelationPlace, RelationRequirement, RelationSide,
    RelationVerb, RelationWrites,
};
pub use write::{
    Change, MutationBinding, MutationForm, NestedBinding, NestedChange, NestedReference,
    NestedVerb, PayloadField, TreeRelation, TreeRole, WriteRole,
};

/// The meaning of an object type's field.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldBinding {
    /// An entity of another subgraph, by these fields of the row; each may be null or not. Where one of
    /// them is null, there is no entity.
    Reference(Arc<[(FieldId, bool)]>),
    /// The value of the field at this index of a [`FieldBinding::Reference`]: a field of its object.
    ReferenceKey(usize),
    /// The object itself again, such as `query` of the root.
    Same,
    /// Constant JSON text.
    Literal(Box<[u8]>),
    /// Not supported: an error with this text.
    Refused(Box<str>),
    /// A field of the row. The API's [`ColumnBinding`] has its output form.
    Column(FieldId),
    /// The first of these fields of the row that is not null, as a text.
    Coalesce(Arc<[FieldId]>),
    /// Rows of an entity, related rows, or rows of a function.
    Rows(RowsBinding),
    /// The distance of the row's vector, among [`RowsFrom::Nearest`]; null elsewhere.
    Distance,
    /// The value of a function.
    Computed(Box<ComputedBinding>),
    /// An object with constant fields: a field of the root.
    Constants,
    /// Federation's entities, each at the index of its representation: a field of the root.
    Entities(Arc<EntitiesBinding>),
    /// The row of any entity by its opaque id; the root object by this word, if there is one.
    Lookup { root: Option<&'static str> },
    /// The row's opaque id: `prefix`, then the JSON form of each key field, as a JSON array.
    NodeId { prefix: Box<str>, key: Vec<FieldId>, form: IdForm },
    /// The row's opaque id: `prefix`, a colon, and the field as a text. Without a value it has none.
    GlobalId { prefix: Box<str>, field: FieldId },
    /// A field of a connection, over the rows it pages.
    Connection(ConnectionField),
    /// A field of an edge, over one row of a connection.
    Edge(EdgeField),
    /// A field of a connection's page information.
    PageInfo(PageInfoField),
    /// A field of an aggregate object.
    Aggregate(AggregateField),
    /// A part of a value that has parts: a composite's attribute, a bound of a range.
    Part { part: Part, value: ValueShape },
    /// A value that another server gives.
    Resolved(ResolverId),
    /// The notifications of a channel: a field of the subscription type, executed for each of them.
    Listen(Box<ListenBinding>),
    /// The row that a notification is about: a field of a [`FieldBinding::Listen`]'s object.
    RelatedNode,
    /// The opaque id of that row.
    RelatedNodeId,
    /// The time of an event: a field of a row of [`RowsFrom::Event`].
    EventTime,
    /// A member of the notification, by its name.
    EventMember(Box<str>),
    /// The changes of rows that mutations of the API have made: a field of the subscription type,
    /// executed for each of them.
    RowEvent(RelatedRowsId),
    /// A part of such a change.
    EventPart(EventPart),
    /// A change: a field of the mutation type, and of no other.
    Mutation(Box<MutationBinding>),
    /// A field of a mutation's payload. A relationship or a [`FieldBinding::NodeId`] there is that
    /// of the changed row.
    Payload(PayloadField),
}

/// The notifications of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenBinding {
    /// The beginning of the channel's name; the topic follows.
    pub channel: Box<str>,
    /// The parts of the topic; `None` if it is the argument of the role
    /// [`ArgumentRole::Topic`](super::binding::ArgumentRole::Topic).
    pub topic: Option<Arc<[TopicPart]>>,
    /// The member of a notification's object that is the opaque id of a row as JSON.
    pub node: Box<str>,
    /// The members that its fields show.
    pub members: Arc<[EventMember]>,
}

/// A part of a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopicPart {
    Text(Box<str>),
    /// The value of an argument, by its name.
    Argument(Box<str>),
    /// A claim of the session.
    Claim(Box<str>),
}

/// A member of a notification's object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventMember {
    pub name: Box<str>,
    pub kind: MemberKind,
}

/// The form of a member's value; a value of another form is null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberKind {
    /// A string; other plain values are written as strings.
    Text,
    Int,
    Float,
    Boolean,
}

/// The index of a resolver among those of an API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ResolverId(pub u32);

/// The types whose rows are found by federation's representations.
#[derive(Clone, Debug, PartialEq)]
pub struct EntitiesBinding {
    /// In the order of their names.
    pub types: Box<[EntityType]>,
    /// Keys and inputs of their representations, in the same order.
    pub represented: Arc<[Arc<Represented>]>,
}

/// A type whose rows are found by the fields of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityType {
    pub r#type: TypeId,
    pub entity: EntityId,
    /// The fields of each key, in the order of those of its [`Represented`].
    pub keys: Vec<Vec<FieldId>>,
}

/// Fields of aggregates over all rows of a set.
#[derive(Clone, Debug, PartialEq)]
pub enum AggregateField {
    /// The group keys, as a list of texts; null where there are no groups.
    Keys,
    /// The values of one function, each a field of an object.
    Function(AggregateFunction),
    /// Aggregates of one value, each a field of an object: the fields name no value of their own.
    /// `once`: deduplicated, so that each row counts once, however many relationships of a graph
    /// lead to it.
    Of { place: Box<ValueRef>, once: bool },
    /// An object of further values.
    Object,
    /// One value. Of several the one whose function is that of the enclosing object.
    Value(Box<[AggregateValue]>),
    /// One value of this field: that whose function is that of the enclosing object. The values name no
    /// field, so that fields of one type share them.
    FieldValue { field: FieldId, values: Arc<[AggregateValue]> },
    /// An aggregate of values that a function computes for each row, with the field's arguments;
    /// the aggregate value names no field.
    Computed { computed: FunctionId, value: Box<AggregateValue> },
    /// An aggregate of values of this place; the aggregate value names no field.
    ValueOf { place: Box<ValueRef>, value: Box<AggregateValue> },
    /// The number of rows, or of the values of [`ArgumentRole::CountedColumns`].
    Counted,
}

/// An aggregate value of all rows of a set.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateValue {
    pub function: AggregateFunction,
    /// `None`: the value of the enclosing object; without one, rows are counted.
    pub field: Option<FieldId>,
    pub leaf: Leaf,
    /// The form in which the source returns it.
    pub form: Form,
    /// The JSON text without values; null if there is none.
    pub absent: Option<Box<[u8]>>,
}

/// Fields of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionField {
    /// The rows.
    Nodes,
    /// The rows, each with its cursor.
    Edges,
    /// The number of rows without pagination.
    TotalCount,
    /// Aggregates of all rows without pagination: an object of [`AggregateField`]s.
    Aggregates,
    /// Aggregates of the rows of the page: an object of [`AggregateField`]s.
    PageAggregates,
    /// Aggregates of each group of rows, as a list; the field's arguments give the group keys.
    Groups,
    /// All rows in groups, as a list of objects of [`ConnectionField::Edges`].
    RowGroups,
    PageInfo,
}

/// Fields of a connection's edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeField {
    /// The position of the row in the order.
    Cursor,
    /// The row.
    Node,
    /// A field of the join row between this row and the outer row.
    Column(FieldId),
    /// An object of such fields.
    Properties,
}

/// Fields of the page information.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageInfoField {
    HasNextPage,
    HasPreviousPage,
    StartCursor,
    EndCursor,
}

/// The rows of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct RowsBinding {
    pub from: RowsFrom,
    /// The entity of the rows.
    pub entity: EntityId,
    pub form: RowsForm,
    /// The limit if the request has none.
    pub default_limit: Option<u64>,
}

/// Origins of a field's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsFrom {
    Entity,
    Relation(Hop),
    /// The nodes at the ends of relationships of a graph, each once.
    Nodes(Hop),
    /// Rows of several entities: of an interface, of a union. `once` is as in
    /// [`RowsFrom::Nodes`].
    Variants {
        variants: VariantsId,
        once: bool,
    },
    /// Many-to-many: the rows at the other side of a join entity, each once.
    Through {
        near: Hop,
        far: Hop,
    },
    /// The join rows between the row and the outer row.
    Joining {
        near: Hop,
        far: Hop,
    },
    /// The rows of a function, with the row as its first argument if `of_row`.
    Function {
        function: FunctionId,
        of_row: bool,
    },
    /// The rows of a function that is called for its effect, once: a field of the mutation type.
    Effect(FunctionId),
    /// The rows of a function that returns rows of several entities.
    FunctionOfVariants {
        function: FunctionId,
        of_row: bool,
        variants: VariantsId,
    },
    /// The row, or the rows of an array, that is the value of a field of the row.
    Value(FieldId),
    /// The rows of the entity with the nearest vectors, by [`ArgumentRole::Nearest`].
    Nearest,
    /// The rows of several entities with the nearest vectors, by [`ArgumentRole::Nearest`].
    NearestVariants(VariantsId),
    /// The rows that an index finds for [`ArgumentRole::Searched`].
    Search(SearchId),
    /// The node of an event: a field of the subscription type, executed for each event.
    Event(EventKind),
    /// A state of the node of the outer [`RowsFrom::Event`].
    EventState(State),
    /// The objects of the enclosing payload of [`Change::AddObjects`] and its kind.
    Changed,
}

/// Forms in which a field returns its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsForm {
    List,
    Connection,
    /// One row or null: found by a key, or a to-one relationship.
    Single,
    /// Aggregates: an object of [`AggregateField`]s.
    Aggregate,
    /// The first row or null: there should be at most one, which the source does not enforce.
    First,
    /// A list of rows beyond a position, [`ArgumentRole::Stream`]: a field of the subscription type,
    /// which is executed again from the last row of each response.
    Stream,
    /// The first row that passes the conditions, or null; null without any condition, since each
    /// of several keys may find the row.
    Keyed,
}

/// The JSON structure of a value whose parts the operation selects.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueShape {
    Leaf(Leaf),
    List(Box<ValueShape>),
    /// An object with the selected members.
    Composite,
    /// An object with the selected members, or null if all attributes are null.
    Row,
    /// With the shape of its elements: a type may be shared by ranges whose elements are written
    /// differently.
    Range(Box<ValueShape>),
    /// Only below a range, whose elements it holds.
    Bound,
    Interval,
    Point,
    Figure(Figure),
    /// A geometry in GeoJSON.
    Geometry,
}

/// The output of an entity's field, at every position.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnBinding {
    pub value: ValueShape,
    /// The form in which the source returns it.
    pub form: Form,
    /// Its JSON form inside cursors.
    pub json: Leaf,
    /// Its JSON form inside node ids.
    pub node_id: Leaf,
}

/// Common settings of all lists of an entity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntityBinding {
    /// The order of a list without a requested one, and the end of every other order: the primary
    /// key, or other fields that make the order complete. Empty: no order is promised.
    pub tie_break: Vec<FieldId>,
    /// Orders that are complete on their own: a cursor over one of them needs no key.
    pub unique: Vec<Vec<FieldId>>,
    /// The name of the tie-break's order in cursors; without a tie-break cursors hold the row's
    /// number under this name.
    pub natural_cursor: Box<str>,
    /// The only field of rows that are output as its value, not as objects.
    pub value: Option<FieldId>,
    /// The opaque ids of the entity's rows, if they have any.
    pub node_id: Option<NodeIdBinding>,
    /// True if a row whose fields are all null is an object all the same, where a field holds it,
    /// and in lists of functions.
    pub hollow: bool,
    /// The form of cursors.
    pub cursors: Cursors,
    /// The names of the fields of the tie-break in cursors of [`Cursors::Members`].
    pub cursor_members: Vec<Arc<str>>,
    /// Defaults of new rows.
    pub made_on_create: Vec<(FieldId, Operand)>,
    /// Values set by every update.
    pub made_on_update: Vec<(FieldId, Operand)>,
    pub rules: NodeRules,
}

/// Forms of opaque ids that are JSON arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdForm {
    /// `["prefix",value…]`
    #[default]
    Tagged,
    /// `[1, prefix, value…]`: the prefix is JSON, the names of the schema and the table.
    Versioned,
}

impl IdForm {
    /// The index of the first value in the array.
    #[must_use]
    pub fn first_value(self) -> u16 {
        match self {
            Self::Tagged => 1,
            Self::Versioned => 3,
        }
    }
}

/// The opaque ids of an entity's rows.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeIdBinding {
    pub form: IdForm,
    /// The prefix of the id.
    pub prefix: Box<str>,
    /// The fields whose values follow it.
    pub key: Vec<FieldId>,
    /// The encoding of their values: [`Codec::Base64JsonArray`], or [`Codec::GlobalId`] of one.
    pub codec: Codec,
    /// True if the source enforces the uniqueness of the ids.
    pub enforced: bool,
    /// True if the field for rows of any entity finds this entity's by id.
    pub found: bool,
    /// The type of the rows.
    pub r#type: TypeId,
}

/// The meaning of an argument or an input field.
#[derive(Clone, Debug, PartialEq)]
pub struct InputBinding {
    pub role: InputRole,
    /// The meaning of an explicit null.
    pub null: Meaning,
    /// The meaning of `{}` or `[]`.
    pub empty: Meaning,
}

/// An [`InputBinding`] as an API keeps it. A large schema has hundreds of thousands, which differ in
/// their roles and have few different meanings of null and of empty inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundInput {
    pub role: InputRole,
    pub(crate) meanings: Arc<Meanings>,
}

/// The meanings of an explicit null, and of `{}` or `[]`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Meanings {
    pub(crate) null: Meaning,
    pub(crate) empty: Meaning,
}

impl BoundInput {
    /// The meaning of an explicit null.
    #[must_use]
    pub fn null(&self) -> &Meaning {
        &self.meanings.null
    }

    /// The meaning of `{}` or `[]`.
    #[must_use]
    pub fn empty(&self) -> &Meaning {
        &self.meanings.empty
    }
}

impl PartialEq<InputBinding> for BoundInput {
    fn eq(&self, other: &InputBinding) -> bool {
        let InputBinding { role, null, empty } = other;
        self.role == *role && self.null() == null && self.empty() == empty
    }
}

impl From<&BoundInput> for InputBinding {
    fn from(bound: &BoundInput) -> Self {
        let (null, empty) = (bound.null().clone(), bound.empty().clone());
        Self { role: bound.role.clone(), null, empty }
    }
}

/// The role of an input, by the positions that it fits. [`check`](crate::check) finds those at any
/// other position.
#[derive(Clone, Debug, PartialEq)]
pub enum InputRole {
    /// An argument of a field that returns rows or values, or a member of an object of such.
    Argument(ArgumentRole),
    /// A condition.
    Filter(FilterRole),
    /// A member of an object of orders.
    Order(OrderRole),
    /// An input of a change.
    Write(WriteRole),
    /// A member, of a condition or of a change, for rows of one of several entities.
    Variant(VariantRole),
    /// A part of a value: the type of the value reads it.
    Member,
    /// Federation's representations of rows: the argument of [`FieldBinding::Entities`].
    Representations,
    /// An argument of a field that has no meaning: type definitions declare it.
    Ignored,
    /// Not supported: a request error with this text where the input has a value.
    Refused(Box<str>),
}

/// A member of an object for rows of one of several entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariantRole {
    /// An object for the rows of one entity, by its index. An object of conditions that has such
    /// members accepts rows of no other entity.
    Of(u16),
    /// An object for the rows of one entity, by its index; rows of other entities pass it.
    Restrict(u16),
    /// An object of [`VariantRole::Of`] beside which there may be other members: if there are, they
    /// alone apply to rows of entities that it does not name. A member for one entity overrides the
    /// one of the same name beside the object.
    On,
}

/// The meaning of an enum value.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueBinding {
    Order(OrderBy),
    Direction(Direction),
    /// A direction with the position of nulls: of [`OrderRole`]s that order by a value.
    Placed {
        direction: Direction,
        nulls: Nulls,
    },
    /// A column of the row.
    Column(FieldId),
    /// A key of the rows.
    Key(Arc<[FieldId]>),
    /// A value to order by, in the direction of [`OrderRole::Directed`].
    Sorted(Box<ValueRef>),
    /// A part of the row that [`FilterRole::AllPresent`] requires.
    Present(RowPart),
    /// A group key.
    GroupBy(GroupBy),
    /// One of several entities, by its index.
    Variant(u16),
    /// The vectors of a field, and their distance: of [`NearestRole::By`].
    Vector {
        field: FieldId,
        metric: ir::Metric,
        /// The default of [`NearestRole::Visited`].
        visited: Option<u16>,
    },
    /// The vectors of the rows of several entities, by their index among the common fields, and
    /// their distance: of [`NearestRole::By`].
    CommonVector {
        place: u16,
        metric: ir::Metric,
        visited: Option<u16>,
    },
    /// A label of the source's enum.
    Label(Box<str>),
    /// Not supported by the source: a request error with this text.
    Refused(Box<str>),
}

/// A part of a row that may be absent.
#[derive(Clone, Debug, PartialEq)]
pub enum RowPart {
    /// A value, which is absent where it is null.
    Field(FieldId),
    /// Several values, which are absent where all are null.
    AnyOf(Arc<[Subject]>),
    /// A field that all variants have, by its index.
    Common(u16),
    /// Related rows.
    Related(Hop),
    /// Rows that joining rows lead to.
    RelatedThrough { near: Hop, far: Hop },
    /// Related rows of several entities.
    RelatedVariants(VariantsId),
    /// Rows along a relationship that all variants have, by its index.
    Link(u16),
}

impl InputBinding {
    /// A binding for which null and empty mean absence.
    #[must_use]
    pub fn lenient(role: impl Into<InputRole>) -> Self {
        Self { role: role.into(), null: Meaning::Ignore, empty: Meaning::Ignore }
    }

    /// A binding for which null is refused and empty means absence.
    #[must_use]
    pub fn refuse_null(role: impl Into<InputRole>, text: &str) -> Self {
        Self { role: role.into(), null: Meaning::refuse(text), empty: Meaning::Ignore }
    }
}

impl From<ArgumentRole> for InputRole {
    fn from(role: ArgumentRole) -> Self {
        Self::Argument(role)
    }
}

impl From<FilterRole> for InputRole {
    fn from(role: FilterRole) -> Self {
        Self::Filter(role)
    }
}

impl From<RowsRole> for InputRole {
    fn from(role: RowsRole) -> Self {
        Self::Filter(FilterRole::Rows(role))
    }
}

impl From<OperatorRole> for InputRole {
    fn from(operator: OperatorRole) -> Self {
        Self::Filter(FilterRole::Operator(operator))
    }
}

impl From<OrderRole> for InputRole {
    fn from(role: OrderRole) -> Self {
        Self::Order(role)
    }
}

impl From<WriteRole> for InputRole {
    fn from(role: WriteRole) -> Self {
        Self::Write(role)
    }
}

impl From<VariantRole> for InputRole {
    fn from(role: VariantRole) -> Self {
        Self::Variant(role)
    }
}
