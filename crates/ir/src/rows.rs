//! Reads: origin, filter, order, pagination and outputs of rows.

use catalog::{EntityId, FieldId, FunctionId, RelationshipId, SearchId};

use crate::event::EventKind;
use crate::filter::{Filter, ValueRef};
use crate::operand::Operand;
use crate::step_id::StepId;

/// Rows of one kind, read together.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    pub id: RowsId,
    pub from: From,
    pub filter: Filter,
    /// Complete: includes every tie-break that the dialect promises.
    pub order: Vec<OrderTerm>,
    pub page: Page,
    /// At most one row for each combination of these, the first in the order.
    pub distinct: Vec<FieldId>,
    /// At most one row can match, whatever the data: found by a key.
    pub single: bool,
    /// Deduplication: each related row once, however many relationships of a graph lead to it.
    /// Without it, each relationship yields a row, as each referring row does.
    pub once: bool,
    /// True if the rows themselves are part of the response. If not, only counts and aggregates
    /// over them are, and the rows are not read.
    pub shown: bool,
    pub outputs: Vec<Output>,
}

impl Rows {
    /// All rows that pass, in no order, as part of the response.
    #[must_use]
    pub fn unordered(id: RowsId, from: From, filter: Filter, outputs: Vec<Output>) -> Self {
        Self {
            id,
            from,
            filter,
            order: Vec::new(),
            page: Page::All,
            distinct: Vec::new(),
            single: false,
            once: false,
            shown: true,
            outputs,
        }
    }
}

/// The node of an event: its properties at one time, without relationships.
#[derive(Clone, Debug, PartialEq)]
pub struct EventNode {
    pub entity: EntityId,
    /// The kind of the event; `None` for another state of the node of an outer row, which has the
    /// conditions.
    pub kind: Option<EventKind>,
    /// The properties, in the source's own form.
    pub properties: Operand,
    /// The names that the node has in the source, a list of texts.
    pub names: Operand,
}

/// The number of a [`Rows`] within its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowsId(pub u32);

/// The number of an output within its request: the only reference that the Shape has to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutputId(pub u32);

/// Origins of rows.
#[derive(Clone, Debug, PartialEq)]
pub enum From {
    Entity(EntityId),
    /// Rows of several entities in one list, with a common order and page: interfaces, unions.
    Variants(Vec<Variant>),
    /// The rows related to the row of the outer `Rows`.
    Relation(Hop),
    /// Many-to-many: rows that a join entity connects to the row of the outer `Rows`, each once.
    /// `near` leads to the joining rows, `far` from them.
    Through {
        near: Hop,
        /// Filter of the joining rows.
        joining: Filter,
        far: Hop,
    },
    /// The rows that join the row of the outer `Rows`, which came by [`From::Through`] along the
    /// same hops, to the row around it.
    Joining {
        near: Hop,
        far: Hop,
    },
    /// The rows that a function returns, in its order unless another is given; of the outer `Rows`
    /// where the call takes a row.
    Function(Call),
    /// The same for rows of several entities in one list: the function does not return the entity
    /// of each row. Rows of none of the entities are omitted.
    FunctionOfVariants {
        call: Call,
        variants: Vec<Variant>,
    },
    /// The row that is the value of a field of the outer `Rows`, or the rows of an array of rows:
    /// none where that is null.
    Value(FieldId),
    /// The rows that an index finds for a text or a vector, best first unless another order is
    /// given. Their score is [`ValueRef::Edge`] of the search's own field.
    Search {
        search: SearchId,
        operand: Operand,
    },
    /// A row for each element of a list that is not null, of no entity: to count them. They are
    /// values of the field.
    List {
        like: FieldId,
        list: Operand,
    },
    /// One row of no entity: for counters, which have a value even without rows.
    Once,
    /// The rows with these keys: one list operand for each field, of equal length. Each element
    /// yields one row or none, in the order of the list; repeated keys repeat the row.
    Keys {
        entity: EntityId,
        keys: Vec<(FieldId, Operand)>,
        /// External arguments of each key, in lists of the same length: [`Operand::External`].
        external: Vec<ExternalArgument>,
    },
    /// The node of an event: one row.
    Event(EventNode),
    /// The rows that a write touched, before it or after it, in the order of the insert; after a
    /// delete, the rows' own fields as they were. In a requirement also rows that a step has read.
    Returned {
        step: StepId,
        state: State,
    },
}

/// Values of a function's argument that come from outside of the source: a list, with one for each
/// key.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalArgument {
    pub function: FunctionId,
    /// The index of the argument among those of the function.
    pub place: u16,
    pub values: Operand,
}

/// One entity of [`From::Variants`].
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    pub entity: EntityId,
    /// The hop from the outer row, where the list is one of related rows.
    pub hop: Option<Hop>,
    /// Many-to-many: the hop from the outer row to the joining rows, from which `hop` leads. Each
    /// row is listed once.
    pub through: Option<Hop>,
    pub filter: Filter,
    /// This entity's fields for the common ones, in the same order in every variant:
    /// [`ValueRef::Common`] and [`OutputKind::Common`] name them by index.
    pub common: Vec<FieldId>,
    /// Outputs of the rows of this entity, beside those that all variants have.
    pub outputs: Vec<Output>,
}

/// The state of rows that a write touches: before or after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The rows before the write, with their related rows: the step precedes the write's and locks
    /// the rows until that has run.
    Before,
    After,
}

/// A step along a relationship.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hop {
    pub relationship: RelationshipId,
    pub direction: HopDirection,
}

/// The direction of a hop along a relationship.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HopDirection {
    /// From the referring side to the referenced side: to one row at most.
    Forward,
    /// From the referenced side to the referring rows.
    Backward,
}

/// One term of an order, after those that precede it.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderTerm {
    pub key: OrderKey,
    pub direction: Direction,
    /// Always explicit: sources differ in their defaults.
    pub nulls: Nulls,
}

/// Sort keys.
#[derive(Clone, Debug, PartialEq)]
pub enum OrderKey {
    Value(ValueRef),
    /// An aggregate of rows that are related to the row at the end of a path of to-one hops.
    Relation {
        path: Vec<Hop>,
        hop: Hop,
        filter: Filter,
        aggregate: Aggregate,
    },
    Call(Call),
    /// An aggregate of the rows that a function of the row returns.
    FunctionRows {
        call: Call,
        filter: Filter,
        aggregate: Aggregate,
    },
}

/// Sort directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

/// Position of nulls, independent of the direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    First,
    Last,
}

/// Pagination of ordered rows. Related rows are paginated for each outer row.
#[derive(Clone, Debug, PartialEq)]
pub enum Page {
    All,
    Offset {
        limit: Option<Operand>,
        offset: Option<Operand>,
        /// Reads one row more to compute whether there is a next page; that row is not part of the
        /// response.
        look_ahead: bool,
    },
    Keyset(Keyset),
    /// The rows after one row, before another, or both, which their keys give.
    BesideRows(Box<BesideRows>),
}

impl Page {
    /// Cuts the page to a number of rows, beside the limit that it has. A page that had no limit
    /// reads one row more then, to know whether there is a next page.
    pub fn cut(&mut self, most: u64) {
        if *self == Self::All {
            *self = Self::Offset { limit: None, offset: None, look_ahead: true };
        }
        let limit = match self {
            Self::Offset { limit, look_ahead, .. } => {
                *look_ahead |= limit.is_none();
                limit
            }
            Self::Keyset(Keyset { limit, look_ahead, .. }) => {
                *look_ahead |= limit.is_none();
                limit
            }
            Self::BesideRows(beside) => {
                beside.look_ahead |= beside.limit.is_none();
                &mut beside.limit
            }
            Self::All => return,
        };
        let operand = limit.take().map(Box::new);
        *limit = Some(Operand::AtMost { operand, most });
    }

    /// Returns true if the page has no limit: it has all rows, or all beyond an offset or cursor.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        match self {
            Self::All => true,
            Self::Offset { limit, .. } => limit.is_none(),
            Self::BesideRows(beside) => beside.limit.is_none(),
            Self::Keyset(keyset) => keyset.limit.is_none(),
        }
    }

    /// The page as the request has it, without the limit of [`Self::cut`].
    #[must_use]
    pub fn requested(&self) -> Self {
        let mut page = self.clone();
        let limit = match &mut page {
            Self::Offset { limit, .. } => limit,
            Self::BesideRows(beside) => &mut beside.limit,
            Self::Keyset(keyset) => &mut keyset.limit,
            Self::All => return page,
        };
        if let Some(Operand::AtMost { operand, .. }) = limit {
            *limit = operand.take().map(|operand| *operand);
        }
        page
    }
}

/// Keyset pagination: rows beyond a position in the order, given by the values of the order's terms
/// there.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyset {
    /// One operand for each term of the order.
    pub after: Option<Vec<KeysetValue>>,
    pub before: Option<Vec<KeysetValue>>,
    pub limit: Option<Operand>,
    pub offset: Option<Operand>,
    /// Returns the last rows instead of the first, in the same order.
    pub from_end: bool,
    pub look_ahead: bool,
}

/// Pagination by the keys of rows: rows beyond others in the order. Without a row with the key there
/// are none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BesideRows {
    pub after: Option<Vec<(FieldId, Operand)>>,
    pub before: Option<Vec<(FieldId, Operand)>>,
    pub limit: Option<Operand>,
    pub offset: Option<Operand>,
    /// Returns the last rows instead of the first, in the same order. The offset is counted from the
    /// end, too.
    pub from_end: bool,
    pub look_ahead: bool,
}

impl BesideRows {
    /// The keys of the rows.
    pub fn keys(&self) -> impl Iterator<Item = &[(FieldId, Operand)]> {
        self.after.iter().chain(&self.before).map(Vec::as_slice)
    }
}

/// The value of an order's term at a cursor. Statements depend on whether it is null, since the
/// condition of a nullable term differs for null.
#[derive(Clone, Debug, PartialEq)]
pub enum KeysetValue {
    Null,
    Value(Operand),
}

/// One output of each row, or of all rows together.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    pub id: OutputId,
    pub kind: OutputKind,
}

/// Kinds of outputs.
#[derive(Clone, Debug, PartialEq)]
pub enum OutputKind {
    /// A field of the row at the end of a path of to-one hops.
    Field {
        path: Vec<Hop>,
        field: FieldId,
        form: Form,
    },
    /// The same, or null where the row that has the field fails the condition.
    FieldIf {
        path: Vec<Hop>,
        field: FieldId,
        form: Form,
        filter: Filter,
    },
    /// True if the path ends at a row, null if not. An empty path tests the row itself: a row of a
    /// function or a field whose fields are all null is no row.
    Present {
        path: Vec<Hop>,
    },
    /// The same with a condition on that row: one that fails it counts as absent wherever these
    /// rows use the path, in outputs, filter and order.
    PresentIf {
        path: Vec<Hop>,
        filter: Filter,
    },
    /// A property of the relationship that led to the row.
    Edge {
        field: FieldId,
        form: Form,
    },
    /// Rows related to the row at the end of the path.
    Related {
        path: Vec<Hop>,
        rows: Box<Rows>,
    },
    Aggregate(Aggregate),
    /// All rows that pass the filter, in groups.
    Groups(Groups),
    /// The value of a function, of a row or of none. A composite with only null attributes is null.
    Computed {
        call: Call,
        form: Form,
    },
    /// The sort key as it is compared: for cursors.
    OrderValue(OrderKey),
    /// The number of rows that pass the filter, without pagination.
    Count,
    /// A field that all variants of [`From::Variants`] have.
    Common {
        place: u16,
        form: Form,
    },
    /// The variant of the row, by its index.
    Variant,
    /// The position in the list of [`From::Keys`] of the key that found the row, from 1.
    Ordinal,
    /// The number of rows, links or other things that a write step touched.
    Counter {
        step: StepId,
        counter: crate::write::Counter,
    },
}

/// Representation of an output value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Form {
    /// As the source stores or prints it.
    #[default]
    Stored,
    /// As a plain number: money.
    Number,
    /// As text in the source's own notation.
    Text,
    /// As stored; an empty list instead of null.
    OrEmpty,
    /// A list as one of plain numbers.
    Numbers,
    /// A list as one of texts, each element printed separately.
    Texts,
    /// A geometry or a geography as GeoJSON, with its system of coordinates.
    GeoJson,
    /// As the source's JSON of it: a composite as an object.
    Json,
}

/// Aggregates over the rows of the `Rows` that has it as an output, or of a relation.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// True aggregates the page only, false all rows that pass the filter.
    ///
    /// The page is the one of the request, without the limit of an access rule.
    pub paged: bool,
    pub group_by: Vec<ValueRef>,
    pub having: Option<Box<Filter>>,
    pub terms: Vec<AggregateTerm>,
}

/// The rows of a set in groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// Group keys; nulls are equal. Without any, all rows are one group, even if there are none.
    pub by: Vec<ValueRef>,
    /// The rows of a group.
    pub rows: RowsId,
    /// Outputs of each of these rows.
    pub outputs: Vec<Output>,
}

/// One value of an aggregate.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateTerm {
    pub id: OutputId,
    pub function: AggregateFunction,
    /// `None` counts rows. Along a relationship with an edge entity each relationship is a row;
    /// [`AggregateFunction::DistinctCount`] without a value counts the rows at their ends.
    pub place: Option<ValueRef>,
    /// Representation of the value.
    pub form: Form,
    /// Deduplication: true aggregates each row once, however many relationships of a graph lead to
    /// it.
    pub once: bool,
}

/// Aggregate functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateFunction {
    /// The value of a group key: `place` is one of `group_by`.
    GroupKey,
    Count,
    DistinctCount,
    /// Null without values.
    Sum,
    /// The sum, zero without values.
    Total,
    Average,
    Minimum,
    Maximum,
    StandardDeviationSample,
    StandardDeviationPopulation,
    VarianceSample,
    VariancePopulation,
    /// Of two fields [together](ValueRef::Together).
    Correlation,
    /// The same.
    CovarianceSample,
    /// True if all values are true, null without values.
    All,
    /// True if one of the values is true, null without values.
    Any,
    ShortestText,
    LongestText,
    /// The least length of texts, in characters.
    ShortestLength,
    LongestLength,
    AverageLength,
    /// All values but nulls, as a list.
    Values,
    /// The lengths of all texts as a list.
    Lengths,
}

/// A call of a function of the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub function: FunctionId,
    /// The path of to-one hops to the row that is the first argument, if a row is; an empty path is
    /// the row itself. Without a row at its end, the function is not called.
    pub of_row: Option<Vec<Hop>>,
    /// The given arguments, by index among those of the function, in that order. A missing one has
    /// its default.
    pub arguments: Vec<(u16, Operand)>,
}
