//! What each position of an API's schema means in the request tree.

pub mod function;
pub mod graph;
mod meaning;

use std::sync::Arc;

use catalog::{EntityId, FieldId, FunctionId, SearchId};
use graphql::schema::TypeId;
use ir::{
    AggregateFunction, Case, Codec, Comparison, Counter, Direction, Form, Hop, Operand, Place,
    Quantifier, Represented, TextMatch, TimeUnit,
};
use response::{Figure, Leaf, Part};

pub use function::{ArgumentBinding, CallBinding, ComputedBinding, ToldArgument};
pub use graph::{
    AlongVerb, AssignVerb, Cursors, DeclaredRole, LinkRule, NodeRules, SeveralRole, VariantBinding,
    VariantLink, VariantsId, Way, WayBinding, WaysId,
};
pub use meaning::Meaning;

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

/// A change, and what it gives.
#[derive(Clone, Debug, PartialEq)]
pub struct MutationBinding {
    pub change: Change,
    /// The entity of the rows that come back; `None`: none come back.
    pub returned: Option<EntityId>,
    pub form: MutationForm,
    /// What is said where there is no row to change; `None`: nothing is, it is no error.
    pub missing: Option<Box<str>>,
    /// What an update says that sets nothing; `None`: the field is null, and nothing is done.
    pub unchanged: Option<Box<str>>,
}

/// What is changed. Which rows, and to what, its inputs say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// One row is made of the inputs' [`InputRole::Stored`] values.
    Create(EntityId),
    /// The rows that the inputs' [`InputRole::Equal`]s or [`InputRole::NodeId`] find get the
    /// [`InputRole::Stored`] values.
    Update(EntityId),
    /// The rows that are found so go.
    Delete(EntityId),
    /// One row is made so, or the row that agrees with it in the key gets its values, but for
    /// those of the fields in `kept`.
    Upsert { entity: EntityId, key: Box<[FieldId]>, kept: Box<[FieldId]> },
    /// Rows are made, one of each object of [`InputRole::Rows`]; `most` at once.
    CreateMany { entity: EntityId, most: u32 },
    /// All rows that [`InputRole::Filter`]s let through get the [`InputRole::Stored`] values, as
    /// many as [`InputRole::AtMost`] says, and that is `most` at most.
    UpdateMany { entity: EntityId, most: u32 },
    /// All rows that are let through so go.
    DeleteMany { entity: EntityId, most: u32 },
    /// A function is called with the inputs' [`InputRole::Argument`]s.
    Call(FunctionId),
    /// One row is made or changed, together with the rows that [`InputRole::Nested`] inputs connect
    /// it with.
    Nested(NestedChange),
    /// A change of nodes of a graph, and of what they are related to: nodes are made, one of each
    /// object of [`InputRole::Rows`].
    CreateNodes(EntityId),
    /// The nodes that [`InputRole::Filter`]s let through are changed, all of them without any.
    UpdateNodes(EntityId),
    /// They go, with their relationships.
    DeleteNodes(EntityId),
}

/// A row that is made or changed together with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestedChange {
    pub entity: EntityId,
    /// Its primary key, by which it is read when all is done.
    pub key: Box<[FieldId]>,
    /// Whether it is a new row. Otherwise it is found as in [`Change::Update`].
    pub is_new: bool,
    /// How many rows may be said in all.
    pub most: u32,
}

/// What leads from a row to those that it is connected with by a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestedBinding {
    /// The entity of the rows on the other side.
    pub entity: EntityId,
    pub way: NestedWay,
    /// Whether at most one row can be on the other side: its inputs are objects, not lists of such.
    pub is_single: bool,
    /// The keys by which a row of the other side can be said, beside its opaque id.
    pub keys: Arc<[Box<[FieldId]>]>,
}

/// How rows are connected. Fields stand in pairs: that of the row, and that of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NestedWay {
    /// The row refers to the other one.
    Forward {
        fields: Box<[(FieldId, FieldId)]>,
        /// The fields of the row that are null where it refers to none.
        cleared: Box<[FieldId]>,
    },
    /// Other rows refer to the row.
    Backward {
        fields: Box<[(FieldId, FieldId)]>,
        /// The fields of another row that are null where it refers to none.
        cleared: Box<[FieldId]>,
    },
    /// Rows of a third entity refer to both.
    Joined {
        joining: EntityId,
        /// Of which there is one for the two rows.
        key: Box<[FieldId]>,
        /// The field of the row, and the one of the joining row that refers to it.
        near: Box<[(FieldId, FieldId)]>,
        /// The field of the joining row that refers to the other row, and that row's.
        far: Box<[(FieldId, FieldId)]>,
    },
}

/// What is done with rows on the other side, in the order in which it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NestedVerb {
    /// Rows that are connected are so no longer.
    Disconnect,
    /// Those that are given are connected, and no others.
    Set,
    /// Rows that are there are connected.
    Connect,
    /// Rows are made and connected.
    Create,
}

/// In which form a change gives what comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MutationForm {
    /// An object of [`PayloadField`]s, which is there whether or not a row came back.
    Payload,
    /// The row itself, or null.
    Row,
}

/// What a field of what a change gives shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadField {
    /// The text of [`InputRole::ClientMutationId`] as it came.
    ClientMutationId,
    /// The root object of queries.
    Query,
    /// The row, or the value of a function.
    Row,
    /// All rows that were changed, or all rows or values that a function gave.
    Rows,
    /// How many rows that are.
    Length,
    /// The row with its position in the order of the field's arguments.
    Edge,
    /// An object of [`PayloadField::Counter`]s.
    Counters,
    /// How much was changed in all.
    Counter(Counter),
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
    /// Those that an index finds for [`InputRole::Searched`].
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

/// What the value at an input position does to the rows.
#[derive(Clone, Debug, PartialEq)]
pub enum InputRole {
    /// Federation's representations of the rows.
    Representations,
    /// At most so many rows.
    Limit,
    /// The last rows, so many at most.
    Last,
    /// The rows after a cursor.
    After,
    /// The rows before a cursor.
    Before,
    /// The rows after a cursor of [`Cursors::Offsets`].
    AfterOffset,
    /// At most so many rows; zero is as if it were absent.
    LimitUnlessZero,
    /// The same, and never more than this.
    LimitAtMost(u64),
    /// An object of arguments of the list.
    Options,
    /// The opaque id of a row.
    NodeId,
    /// The same as [`FieldBinding::GlobalId`] writes it.
    GlobalId,
    /// A condition: the row of this entity has that id. One of other rows is refused.
    IsGlobalId(EntityId),
    /// An argument of the function that gives what the field shows.
    Argument(ArgumentBinding),
    /// What an index is searched for.
    Searched,
    /// An object of [`InputRole::Searched`]: the rows are those that the index finds.
    SearchBy(SearchId),
    /// Without the first so many rows.
    Offset,
    /// An enum value or a list of them, bound by [`ValueBinding::Order`].
    OrderBy,
    /// A list of enum values, bound by [`ValueBinding::GroupBy`].
    GroupBy,
    /// An object of [`InputRole::GroupField`]s.
    GroupFields,
    /// Whether rows are put in groups by a value.
    GroupField(Box<Place>),
    /// An object, or a list of such, whose fields are [`InputRole::SortField`]s, in the order given,
    /// or again [`InputRole::Sort`].
    Sort,
    /// A direction for one field, bound by [`ValueBinding::Direction`].
    SortField(FieldId),
    /// The same for a field of what joins the row to the row around it.
    SortEdge(FieldId),
    /// The same for a field that all variants have.
    SortCommon(u16),
    /// The same for the value of a function of the row.
    SortComputed(FunctionId),
    /// An object of conditions that must all hold.
    Filter,
    /// A list of [`InputRole::Filter`] objects that must all hold; `item` is what `{}` as one of
    /// them means.
    And {
        item: Meaning,
    },
    /// A list of [`InputRole::Filter`] objects of which one must hold.
    Or {
        item: Meaning,
    },
    /// SQL's NOT of what the role within states.
    Negated(Box<InputRole>),
    /// What the role within states is beyond the source, and refused with this text.
    Refused {
        role: Box<InputRole>,
        otherwise: Box<str>,
    },
    /// A part of a value: read by the form of the value's type.
    Member,
    /// An object of inputs of a change.
    Inputs,
    /// A list of objects of [`InputRole::Stored`] values, each of a row.
    Rows,
    /// How many rows a change may reach at most. It steers.
    AtMost,
    /// The value that a change stores in a field; null is one, too.
    Stored(FieldId),
    /// An object of [`InputRole::NestedIn`] inputs: the rows that the row is connected with.
    Nested(Box<NestedBinding>),
    /// Of [`InputRole::Nested`] what is done: with objects of [`InputRole::Equal`] and
    /// [`InputRole::NodeId`], or of new rows. Where one row at most is there to be disconnected, it
    /// is a boolean, which steers.
    NestedIn(NestedVerb),
    /// Of a change of nodes the nodes that a relationship leads to: an object, or a list of such,
    /// of [`InputRole::AlongBy`] inputs that name no way.
    Along(Way),
    /// What is done along a relationship: an object, or a list of such, of
    /// [`InputRole::AlongNode`], [`InputRole::AlongEdge`], [`InputRole::Filter`] and
    /// [`InputRole::Further`]. Without a way it is that of the enclosing [`InputRole::Along`].
    AlongBy {
        way: Option<Way>,
        verb: AlongVerb,
    },
    /// Of a change of nodes of which some may be of one of several entities.
    Several(SeveralRole),
    /// The node on the other side: an object of what is stored in it or becomes of it, or of such.
    AlongNode,
    /// The same of the relationship.
    AlongEdge,
    /// An object of the values that tell the node on the other side from all others.
    AlongKey,
    /// Whether a relationship may be there already: a boolean, which steers. What is said otherwise.
    Overwrite {
        otherwise: Box<str>,
    },
    /// An object, or a list of such, of what is done from there on.
    Further,
    /// What becomes of the value of a field.
    Assign {
        field: FieldId,
        verb: AssignVerb,
    },
    /// An object of [`InputRole::AssignBy`]s for a field.
    Assigns {
        field: FieldId,
        is_required: bool,
    },
    AssignBy(AssignVerb),
    /// A text of the client that it gets back with what the change gives.
    ClientMutationId,
    /// The field equals the value.
    Equal(FieldId),
    /// The value of a function of the row equals the value.
    EqualComputed(FunctionId),
    /// Null asks whether the field is null. The source cannot compare the field with a value,
    /// which is refused with this text.
    IsNull {
        field: FieldId,
        otherwise: Box<str>,
    },
    /// An object of operators on one value of the row, all of which must hold.
    Operators(Arc<Subject>),
    /// What the role within states of this.
    On {
        subject: Arc<Subject>,
        role: Arc<InputRole>,
    },
    /// One operator; the value is that of the enclosing [`InputRole::Operators`].
    Compare(Comparison),
    /// The same for texts, without regard to case.
    CompareIgnoringCase(Comparison),
    /// The same with the elements of a list, of which one must pass.
    CompareElement(Comparison),
    /// A boolean: whether the value of the enclosing [`InputRole::Operators`] is null. It steers.
    TestNull,
    /// An object of filters on the attributes of a composite, which is a field of the row or an
    /// attribute of the enclosing composite.
    Composite(CompositePlace),
    /// An object of operators on an attribute of the enclosing [`InputRole::Composite`].
    AttributeOperators {
        attribute: u16,
        /// What case is to them, as [`Subject`] has it.
        plain: Case,
        ignoring: Case,
    },
    /// An object of conditions on the row that a to-one relationship leads to: there must be one
    /// that passes.
    Related(Hop),
    /// An object of [`InputRole::Quantified`] conditions on the rows that a relationship leads to.
    RelatedMany(Hop),
    /// An object that compares what an aggregate makes of what a function computes of each row:
    /// [`InputRole::CallArguments`] and a [`InputRole::Filter`] of operators.
    OperatorsOfComputed {
        aggregate: AggregateFunction,
        computed: FunctionId,
    },
    /// Of [`InputRole::OperatorsOfComputed`] an object of [`InputRole::Argument`]s.
    CallArguments,
    /// An object of conditions on rows of the enclosing [`InputRole::RelatedMany`].
    Quantified(Quantifier),
    /// The same: all of the rows pass, and there is one. Of rows of several entities each entity has
    /// one, where they are taken apart.
    All {
        apart: bool,
    },
    /// What the role within, [`InputRole::Quantified`] or [`InputRole::All`], states of the rows that
    /// a relationship leads to.
    RelatedBy {
        hop: Hop,
        role: Box<InputRole>,
    },
    /// An object of conditions on all rows together that a relationship leads to, or that of the
    /// enclosing [`InputRole::RelatedMany`].
    /// Values of the rows are aggregated of each `once`, or for each relationship.
    Together {
        hop: Option<Hop>,
        once: bool,
    },
    /// In [`InputRole::Together`] an object of [`InputRole::OperatorsOfMade`]s on this.
    MadeOf(Box<Place>),
    /// An object of operators on what is made of the place of the enclosing
    /// [`InputRole::MadeOf`].
    OperatorsOfMade(AggregateFunction),
    /// An object of conditions on all rows of the enclosing [`InputRole::RelatedMany`] together:
    /// on their aggregates, and a [`InputRole::GroupFilter`]. `nothing` is what is said where it
    /// has no condition on an aggregate.
    RelatedGroup {
        nothing: Box<str>,
    },
    /// Of [`InputRole::RelatedGroup`] an object of conditions on the rows that are aggregated.
    GroupFilter,
    /// The same as [`InputRole::RelatedMany`] and [`InputRole::RelatedBy`] along the ways to rows of
    /// several entities.
    RelatedVariants(VariantsId),
    RelatedVariantsBy {
        variants: VariantsId,
        role: Box<InputRole>,
    },
    /// An object of [`InputRole::OfVariant`]s: the role within states each of them by itself of the
    /// rows of its own entity.
    RelatedEach {
        variants: VariantsId,
        role: Box<InputRole>,
    },
    /// What is declared of rows of several entities.
    Declared(DeclaredRole),
    /// Of rows of several entities a list of enum values, bound by [`ValueBinding::Variant`]: the row
    /// is of one of these.
    OfVariants,
    /// An object of [`InputRole::OfVariant`]s beside which there may be other conditions: if there
    /// are, rows of entities that it does not name pass those alone. A condition on one entity stands
    /// for one of the same name beside the object.
    OnVariant,
    /// An object of conditions on rows of one entity, by its number among all. An object that has
    /// some such is passed by rows of no other entity.
    OfVariant(u16),
    /// A boolean: whether a relationship leads to any row. It steers.
    Exists(Hop),
    /// An object of a point and a distance: how far the value of the enclosing
    /// [`InputRole::Operators`] is from the point.
    Distance(Comparison),
    /// An object of one [`InputRole::DistancePoint`] and of [`InputRole::DistanceIs`]s: how far that
    /// value is from the point.
    DistanceFrom,
    DistancePoint,
    DistanceIs(Comparison),
    /// A boolean that steers: whether a relationship is followed as it is directed, or whichever way
    /// it leads.
    Directed {
        directed: Hop,
        undirected: Hop,
    },
    /// The same of the ways to rows of several entities.
    DirectedVariants {
        directed: VariantsId,
        undirected: VariantsId,
    },
    Match {
        r#match: TextMatch,
        ignore_case: bool,
    },
}

/// A composite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompositePlace {
    Field(FieldId),
    /// The row itself, whose fields are the attributes in their order.
    Row(Box<[FieldId]>),
    /// Of the enclosing composite, by its place.
    Attribute(u16),
}

/// What operators are about.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    pub place: Place,
    /// What case is to operators on texts that do not say that they ignore it.
    pub plain: Case,
    /// What it is to those that say so.
    pub ignoring: Case,
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

/// What the rows of a group agree in.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupBy {
    pub field: FieldId,
    /// Of moments the unit of time that they are in, not the moment itself.
    pub unit: Option<TimeUnit>,
    /// How the text of the value is written.
    pub leaf: Leaf,
}

/// An order by a value of an order enum.
#[derive(Clone, Debug, PartialEq)]
pub enum OrderBy {
    /// No order of its own: the tie-break.
    Natural,
    /// By a field of what joins the row to the row around it, or by one that all variants have.
    Place { place: Place, direction: Direction },
    /// By these fields.
    Fields { fields: Vec<FieldId>, direction: Direction, cursor_name: Box<str> },
    /// By what is made of the rows that a relationship leads to; its leaf is that of cursors.
    Related { hop: Hop, value: Box<AggregateValue>, direction: Direction, cursor_name: Box<str> },
    /// By the value of a function of the row, which is the only field of the function's own
    /// entity.
    Computed { function: FunctionId, value: FieldId, direction: Direction, cursor_name: Box<str> },
}

impl Subject {
    /// A value that operators compare as its type does, unless they ignore case.
    #[must_use]
    pub fn new(place: Place) -> Self {
        Self { place, plain: Case::AsTyped, ignoring: Case::Ignored }
    }

    /// A field of the row.
    #[must_use]
    pub fn field(field: FieldId) -> Self {
        Self::new(Place::field(field))
    }

    /// A text whose type ignores case by itself, while plain operators mind it.
    #[must_use]
    pub fn ignoring_by_type(place: Place) -> Self {
        Self { place, plain: Case::Exact, ignoring: Case::AsTyped }
    }
}

impl InputBinding {
    /// A binding for which null and empty mean absence.
    #[must_use]
    pub fn lenient(role: InputRole) -> Self {
        Self { role, null: Meaning::Ignore, empty: Meaning::Ignore }
    }

    /// A binding for which null is refused and empty means absence.
    #[must_use]
    pub fn refuse_null(role: InputRole, text: &str) -> Self {
        Self { role, null: Meaning::Refuse(text.into()), empty: Meaning::Ignore }
    }
}
