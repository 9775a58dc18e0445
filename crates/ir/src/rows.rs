//! Reading: where rows come from, which of them, in which order, and what of each.

use catalog::{EntityId, FieldId, FunctionId, RelationshipId, SearchId};

use crate::filter::{Filter, Place};
use crate::operand::Operand;
use crate::request::StepId;

/// Rows of one kind, read together.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    pub id: RowsId,
    pub from: From,
    pub filter: Filter,
    /// Complete: the dialect has said every tie-break that it promises.
    pub order: Vec<OrderTerm>,
    pub page: Page,
    /// At most one row for each combination of these, the first in the order.
    pub distinct: Vec<FieldId>,
    /// At most one row can come, whatever the data: found by a key.
    pub single: bool,
    /// Each related row once, however many relationships of a graph lead to it. Without, each
    /// relationship gives a row, as each row that refers to another does.
    pub once: bool,
    /// Whether the rows themselves are shown. If not, only what is counted or aggregated over
    /// them is wanted, and nobody reads them.
    pub shown: bool,
    pub outputs: Vec<Output>,
}

/// The number of a [`Rows`] within its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowsId(pub u32);

/// The number of an output within its request: all that the Shape knows of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutputId(pub u32);

/// Where rows come from.
#[derive(Clone, Debug, PartialEq)]
pub enum From {
    Entity(EntityId),
    /// Rows of several entities in one list, with a common order and page: interfaces, unions.
    Variants(Vec<Variant>),
    /// The rows related to the row of the outer `Rows`.
    Relation(Hop),
    /// The rows that others join to the row of the outer `Rows`, each once: `near` leads to the
    /// joining rows, `far` from them.
    Through {
        near: Hop,
        /// Which of the joining rows join anything.
        joining: Filter,
        far: Hop,
    },
    /// The rows that join the row of the outer `Rows`, which came by [`From::Through`] along the
    /// same hops, to the row around it.
    Joining {
        near: Hop,
        far: Hop,
    },
    /// The rows that a function gives, in its order where no other is said; of the outer `Rows`
    /// where the call is of a row.
    Function(Call),
    /// The same where the rows are of several entities, in one list: of each row the function does
    /// not say which it is of. Rows of none of them are left out.
    FunctionOfVariants {
        call: Call,
        variants: Vec<Variant>,
    },
    /// The row that is the value of a field of the outer `Rows`, or the rows of one that is an
    /// array of rows: none where that is null.
    Value(FieldId),
    /// The rows that an index finds for a text or a vector, the best first where no other order is
    /// said. Their score is [`Place::Edge`] of the search's own field.
    Search {
        search: SearchId,
        operand: Operand,
    },
    /// One row of no entity: for counters, which are there even if no row is.
    Once,
    /// The rows with these keys: one list operand for each field, of equal length. Each element
    /// gives one row or none, in the order of the list, and the same row again where it comes
    /// again.
    Keys {
        entity: EntityId,
        keys: Vec<(FieldId, Operand)>,
        /// What is told beside each key, in lists of the same length: [`Operand::Told`].
        told: Vec<Told>,
    },
    /// The rows that a write touched, before it or after it, by themselves in the order in which
    /// an insert has them; after a delete, the rows' own fields as they were. In a requirement also
    /// those that a step has read.
    Returned {
        step: StepId,
        state: State,
    },
}

/// A list of values for an argument of a function, one for each key of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    pub function: FunctionId,
    /// The place of the argument among those of the function.
    pub place: u16,
    pub values: Operand,
}

/// One entity of [`From::Variants`].
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    pub entity: EntityId,
    /// The way from the outer row, where the list is one of related rows.
    pub hop: Option<Hop>,
    pub filter: Filter,
    /// This entity's fields for the common ones, in the same order in every variant:
    /// [`Place::Common`] and [`OutputKind::Common`] name them by their place.
    pub common: Vec<FieldId>,
    /// The outputs of the rows of this entity, beside those that all variants have.
    pub outputs: Vec<Output>,
}

/// On which side of a write its rows are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// As the rows were, with what was related to them: the step stands before the write's and
    /// keeps the rows from changing until that has run.
    Before,
    After,
}

/// A step along a relationship.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hop {
    pub relationship: RelationshipId,
    pub direction: HopDirection,
}

/// Which way along a relationship.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HopDirection {
    /// From the side that refers to the side referred to: to one row at most.
    Forward,
    /// From the side referred to, to the rows that refer to it.
    Backward,
}

/// One term of an order; those before it come first.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderTerm {
    pub key: OrderKey,
    pub direction: Direction,
    /// Always said: sources disagree in their defaults.
    pub nulls: Nulls,
}

/// What rows are ordered by.
#[derive(Clone, Debug, PartialEq)]
pub enum OrderKey {
    Place(Place),
    /// By an aggregate of related rows.
    Relation {
        hop: Hop,
        filter: Filter,
        aggregate: Aggregate,
    },
    Call(Call),
}

/// Which values come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

/// Where nulls stand, whichever the direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    First,
    Last,
}

/// Which part of the ordered rows. A page of related rows is a page for each outer row.
#[derive(Clone, Debug, PartialEq)]
pub enum Page {
    All,
    Offset {
        limit: Option<Operand>,
        offset: Option<Operand>,
        /// Whether one row more is read to learn whether there is more; it is not shown.
        look_ahead: bool,
    },
    Keyset(Keyset),
    /// The rows after the row that has this key.
    AfterRow {
        key: Vec<(FieldId, Operand)>,
        limit: Option<Operand>,
        offset: Option<Operand>,
    },
}

/// Rows beyond a position in the order, given by the values of the order's terms there.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyset {
    /// One operand for each term of the order.
    pub after: Option<Vec<KeysetValue>>,
    pub before: Option<Vec<KeysetValue>>,
    pub limit: Option<Operand>,
    pub offset: Option<Operand>,
    /// The last rows instead of the first; shown in the order all the same.
    pub from_end: bool,
    pub look_ahead: bool,
}

/// The value of an order's term at a cursor. Whether it is null steers, since a condition on a
/// nullable term differs for it.
#[derive(Clone, Debug, PartialEq)]
pub enum KeysetValue {
    Null,
    Value(Operand),
}

/// One thing that is asked of each row, or of all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    pub id: OutputId,
    pub kind: OutputKind,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum OutputKind {
    /// A field of the row at the end of a path of to-one hops.
    Field {
        path: Vec<Hop>,
        field: FieldId,
        form: Form,
    },
    /// The same, or null where the row that has the field does not pass.
    FieldIf {
        path: Vec<Hop>,
        field: FieldId,
        form: Form,
        filter: Filter,
    },
    /// Whether there is a row at the end of the path: null if not. An empty path asks about the
    /// row itself: of those that a function gives or a field holds, one whose fields are all null is
    /// no row.
    Present {
        path: Vec<Hop>,
    },
    /// The same with a condition on that row: one that does not pass counts as absent wherever
    /// these rows use the path, in outputs, filter and order.
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
    /// The value of a function, of a row or of none. A composite whose attributes are all null is
    /// null.
    Computed {
        call: Call,
        form: Form,
    },
    /// The value by which the rows are ordered, as it is compared: for cursors.
    OrderValue(OrderKey),
    /// How many rows pass the filter, the page left aside.
    Count,
    /// A field that all variants of [`From::Variants`] have.
    Common {
        place: u16,
        form: Form,
    },
    /// Which of the variants the row is, by its place among them.
    Variant,
    /// The place in the list of [`From::Keys`] of the key that found the row, from 1.
    Ordinal,
    /// How many rows, links or other things a write step touched.
    Counter {
        step: StepId,
        counter: crate::write::Counter,
    },
}

/// In which form a field's value is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Form {
    /// As the source stores or prints it.
    #[default]
    Stored,
    /// As a plain number: money.
    Number,
    /// As the text that the source's own words for the value are.
    Text,
    /// As stored; an empty list instead of null.
    OrEmpty,
    /// A list as one of plain numbers.
    Numbers,
    /// A list as one of texts: its elements are printed apart from each other.
    Texts,
}

/// Aggregates over the rows of the `Rows` that has it as an output, or of a relation.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// Over the page only, or over all rows that pass the filter.
    pub paged: bool,
    pub group_by: Vec<Place>,
    pub having: Option<Box<Filter>>,
    pub terms: Vec<AggregateTerm>,
}

/// The rows of a set in groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// What the rows of a group agree in, null being a value like any other. Without any all rows
    /// are one group, even if there are none.
    pub by: Vec<Place>,
    /// The rows of a group.
    pub rows: RowsId,
    /// What is asked of each of them.
    pub outputs: Vec<Output>,
}

/// One value of an aggregate.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateTerm {
    pub id: OutputId,
    pub function: AggregateFunction,
    /// `None` counts rows. Along a relationship with an edge entity each relationship is a row;
    /// [`AggregateFunction::DistinctCount`] of nothing counts the rows that they lead to.
    pub place: Option<Place>,
    /// In which form the value is asked for.
    pub form: Form,
    /// Whether it is made of each row once, however many relationships of a graph lead to it.
    pub once: bool,
}

/// What is made of the values of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateFunction {
    /// The value that the rows of a group agree in: `place` is one of `group_by`.
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
    ShortestText,
    LongestText,
    /// Of the lengths of texts, in characters.
    ShortestLength,
    LongestLength,
    AverageLength,
    /// All values as a list, nulls left out.
    Values,
    /// The lengths of all texts as a list.
    Lengths,
}

/// A call of a function of the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub function: FunctionId,
    /// The path of to-one hops to the row that is the first argument, if a row is; an empty path
    /// is the row itself. Where no row is at its end, the function is not called.
    pub of_row: Option<Vec<Hop>>,
    /// The arguments given, by their place among those of the function, in that order. One that
    /// is missing here takes its default.
    pub arguments: Vec<(u16, Operand)>,
}
