//! What each position of an API's schema means in the request tree.
//!
//! * [`argument`]: arguments of fields that give rows or values
//! * [`filter`]: conditions on rows
//! * [`order`]: orders and groups
//! * [`write`](mod@write): changes
//! * [`function`]: calls of functions
//! * [`graph`]: relationships of a graph, rows of several entities

pub mod argument;
pub mod filter;
pub mod function;
pub mod graph;
mod meaning;
pub mod order;
pub mod write;

use std::sync::Arc;

use catalog::{EntityId, FieldId, FunctionId, SearchId};
use graphql::schema::TypeId;
use ir::{AggregateFunction, Codec, Direction, Form, Hop, Operand, Place, Represented};
use response::{Figure, Leaf, Part};

pub use argument::ArgumentRole;
pub use filter::{CompositePlace, DeclaredRole, FilterRole, OperatorRole, RowsRole, Subject};
pub use function::{ArgumentBinding, CallBinding, ComputedBinding, ExternalArgument};
pub use graph::{
    AssignVerb, Cursors, LinkRule, NestedWriteVerb, NodeRules, SeveralRole, VariantBinding,
    VariantLink, VariantsId, Way, WayBinding, WaysId,
};
pub use meaning::Meaning;
pub use order::{GroupBy, OrderBy, OrderRole};
pub use write::{
    Change, MutationBinding, MutationForm, NestedBinding, NestedChange, NestedVerb, NestedWay,
    PayloadField, WriteRole,
};

/// What a field of an object type means.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldBinding {
    /// The object itself again, such as `query` of the root.
    Same,
    /// JSON text that is the same in every answer.
    Literal(Box<[u8]>),
    /// Something that is not served: an error with this text.
    Refused(Box<str>),
    /// A field of the row. How it is written stands in the API's [`ColumnBinding`].
    Column(FieldId),
    /// Rows of an entity, rows related to the row, or rows that a function gives.
    Rows(RowsBinding),
    /// The value of a function.
    Computed(ComputedBinding),
    /// An object whose fields are the same in every answer: a field of the root.
    Constants,
    /// Federation's entities, each in the place of its representation: a field of the root.
    Entities(Arc<EntitiesBinding>),
    /// The row of any entity by its opaque id; the root object by this word.
    Lookup { root: &'static str },
    /// The row's opaque id: `prefix`, then the JSON form of each key field, as a JSON array.
    NodeId { prefix: Box<str>, key: Vec<FieldId> },
    /// The row's opaque id: `prefix`, a colon, and the field as a text. Without a value it has none.
    GlobalId { prefix: Box<str>, field: FieldId },
    /// A field of a connection, over the rows it pages.
    Connection(ConnectionField),
    /// A field of an edge, over one row of a connection.
    Edge(EdgeField),
    /// A field of a connection's page information.
    PageInfo(PageInfoField),
    /// Of what is made of all rows of a set.
    Aggregate(AggregateField),
    /// A part of a value that has parts: a composite's attribute, a bound of a range.
    Part { part: Part, value: ValueShape },
    /// A change: a field of the mutation type, and of no other.
    Mutation(Box<MutationBinding>),
    /// A field of what a change gives. A relationship or a [`FieldBinding::NodeId`] there is that
    /// of the changed row.
    Payload(PayloadField),
}

/// The types of which rows are found by federation's representations.
#[derive(Clone, Debug, PartialEq)]
pub struct EntitiesBinding {
    /// In the order of their names.
    pub types: Box<[EntityType]>,
    /// How their rows are found, in the same order.
    pub represented: Arc<[Arc<Represented>]>,
}

/// A type of which rows are found by the fields of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityType {
    pub r#type: TypeId,
    pub entity: EntityId,
    /// The fields of each key, in the order of those of its [`Represented`].
    pub keys: Vec<Vec<FieldId>>,
}

/// What a field shows of all rows of a set.
#[derive(Clone, Debug, PartialEq)]
pub enum AggregateField {
    /// The values that the rows of a group agree in, as a list of texts; null where there are no
    /// groups.
    Keys,
    /// The values that one function makes, each a field of an object.
    Function(AggregateFunction),
    /// Values that are made of one place, each a field of an object: their values name no field.
    /// `once`: of each row once, however many relationships of a graph lead to it.
    Of { place: Place, once: bool },
    /// An object of further values.
    Object,
    /// One value. Of several the one whose function is that of the object around it.
    Value(Box<[AggregateValue]>),
    /// The same of what a function computes of each row, with the field's arguments; the value
    /// names no field.
    Computed { computed: FunctionId, value: AggregateValue },
}

/// A value that a function makes of all rows of a set.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateValue {
    pub function: AggregateFunction,
    /// `None`: what the object around it is made of; where that is nothing, rows are counted.
    pub field: Option<FieldId>,
    pub leaf: Leaf,
    /// In which form the source sends it.
    pub form: Form,
    /// The JSON text where there is no value; null if there is none.
    pub absent: Option<Box<[u8]>>,
}

/// What a field of a connection shows of the rows it pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionField {
    /// The rows.
    Nodes,
    /// The rows, each with its cursor.
    Edges,
    /// How many rows there are, the page left aside.
    TotalCount,
    /// What is made of all rows, the page left aside: an object of [`AggregateField`]s.
    Aggregates,
    /// The same for each group of rows, as a list; its arguments say what groups are.
    Groups,
    /// All rows in groups, as a list of objects of [`ConnectionField::Edges`].
    RowGroups,
    PageInfo,
}

/// What a field of an edge shows of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeField {
    /// The position of the row in the order.
    Cursor,
    /// The row.
    Node,
    /// A field of the row that joins it to the row around it.
    Column(FieldId),
    /// An object of such fields.
    Properties,
}

/// What a field of the page information says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageInfoField {
    HasNextPage,
    HasPreviousPage,
    StartCursor,
    EndCursor,
}

/// Rows that a field gives.
#[derive(Clone, Debug, PartialEq)]
pub struct RowsBinding {
    pub from: RowsFrom,
    /// The entity of the rows.
    pub entity: EntityId,
    pub form: RowsForm,
    /// So many rows at most where the request does not say.
    pub default_limit: Option<u64>,
}

/// Where the rows of a field come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsFrom {
    Entity,
    Relation(Hop),
    /// The nodes that relationships of a graph lead to, each once.
    Nodes(Hop),
    /// Rows of several entities: of an interface, of a union. `once` is as in
    /// [`RowsFrom::Nodes`].
    Variants {
        variants: VariantsId,
        once: bool,
    },
    /// The rows that others join to the row, each once.
    Through {
        near: Hop,
        far: Hop,
    },
    /// Of a row that came so the rows that join it to the row around it.
    Joining {
        near: Hop,
        far: Hop,
    },
    /// Those that a function gives, with the row as its first argument if `of_row`.
    Function {
        function: FunctionId,
        of_row: bool,
    },
    /// The same of rows of several entities.
    FunctionOfVariants {
        function: FunctionId,
        of_row: bool,
        variants: VariantsId,
    },
    /// The row, or the rows of an array, that is the value of a field of the row.
    Value(FieldId),
    /// Those that an index finds for [`ArgumentRole::Searched`].
    Search(SearchId),
}

/// In which form a field gives its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsForm {
    List,
    Connection,
    /// One row or null: found by a key, or a to-one relationship.
    Single,
    /// What is made of all of them: an object of [`AggregateField`]s.
    Aggregate,
    /// The first row or null: there should be one at most, and nothing sees to it.
    First,
}

/// How a value becomes JSON, where parts are selected by the operation.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueShape {
    Leaf(Leaf),
    List(Box<ValueShape>),
    /// An object whose members are what the operation selects of it.
    Composite,
    /// The same, where one whose attributes are all null is null.
    Row,
    /// With the shape of its elements: a type may be shared by ranges whose elements are written
    /// differently.
    Range(Box<ValueShape>),
    /// Only below a range, whose elements it holds.
    Bound,
    Interval,
    Point,
    Figure(Figure),
}

/// How a field of an entity is written, wherever it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnBinding {
    pub value: ValueShape,
    /// In which form the source sends it.
    pub form: Form,
    /// Its JSON form inside cursors.
    pub json: Leaf,
    /// Its JSON form inside node ids.
    pub node_id: Leaf,
}

/// What all lists of an entity have in common.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntityBinding {
    /// The order of a list for which the request gives none, and the end of every other order:
    /// the primary key, or whatever makes the order complete. Empty: no order is promised.
    pub tie_break: Vec<FieldId>,
    /// Orders that tell rows apart on their own: a cursor over one of them needs no key.
    pub unique: Vec<Vec<FieldId>>,
    /// The name that a cursor gives to the order by the tie-break alone; without a tie-break
    /// cursors hold the row's number under this name.
    pub natural_cursor: Box<str>,
    /// The only field of rows that are shown as its value, not as objects.
    pub value: Option<FieldId>,
    /// How the entity's rows are found by an opaque id, if they have one.
    pub node_id: Option<NodeIdBinding>,
    /// Whether a row whose fields are all null is an object all the same, where a field holds it,
    /// and in lists that functions give.
    pub hollow: bool,
    /// What cursors are.
    pub cursors: Cursors,
    /// What new rows hold where a request says nothing.
    pub made_on_create: Vec<(FieldId, Operand)>,
    /// What rows hold that are changed.
    pub made_on_update: Vec<(FieldId, Operand)>,
    pub rules: NodeRules,
}

/// The opaque ids of an entity's rows.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeIdBinding {
    /// What the id begins with.
    pub prefix: Box<str>,
    /// The fields whose values follow it.
    pub key: Vec<FieldId>,
    /// How their values stand there: [`Codec::Base64JsonArray`], or [`Codec::GlobalId`] of one.
    pub codec: Codec,
    /// Whether the source sees to it that no two rows have the same id.
    pub enforced: bool,
    /// Whether the row of any entity is found by it, where it is one of this.
    pub found: bool,
    /// The type of the rows.
    pub r#type: TypeId,
}

/// What an argument or an input field means.
#[derive(Clone, Debug, PartialEq)]
pub struct InputBinding {
    pub role: InputRole,
    /// What an explicit null means.
    pub null: Meaning,
    /// What `{}` or `[]` means.
    pub empty: Meaning,
}

/// The role of an input, by the positions that it fits. [`check`](crate::check) finds those that
/// stand anywhere else.
#[derive(Clone, Debug, PartialEq)]
pub enum InputRole {
    /// An argument of a field that gives rows or values, or a member of an object of such.
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
    /// An input that is not served: a request error with this text where it has a value.
    Refused(Box<str>),
}

/// A member of an object for rows of one of several entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariantRole {
    /// An object for the rows of one entity, by its number among all. An object of conditions that
    /// has such members is passed by rows of no other entity.
    Of(u16),
    /// An object of [`VariantRole::Of`] beside which there may be other members: if there are, they
    /// alone hold for rows of entities that it does not name. A member for one entity stands for the
    /// one of the same name beside the object.
    On,
}

/// What an enum value means.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueBinding {
    Order(OrderBy),
    Direction(Direction),
    /// What rows are grouped by.
    GroupBy(GroupBy),
    /// One of the entities whose rows stand together, by its number.
    Variant(u16),
    /// A label of the source's enum.
    Label(Box<str>),
    /// Something the source cannot do: a request error with this text.
    Refused(Box<str>),
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
        Self { role: role.into(), null: Meaning::Refuse(text.into()), empty: Meaning::Ignore }
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
