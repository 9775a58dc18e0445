//! The nodes of a query, of statements that change rows in [`write`](mod@write), and of those that
//! define tables in [`definition`].

pub mod definition;
mod observer;
pub mod write;

pub use observer::{ObservedChange, RowObserver};
pub use write::{
    Cell, ConflictAction, CreateIndex, Delete, ForeignKey, Insert, InsertSource, IntegerType,
    OnConflict, Operation, Set, Statement, Update,
};

/// A name, quoted by the printer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identifier(pub Box<str>);

/// A table, a view or a function, with its schema where the database has such a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableName {
    pub schema: Option<Identifier>,
    pub name: Identifier,
}

/// JSON as a value of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct OfJson {
    pub table: TableName,
    pub column: Identifier,
    pub json: Expression,
}

/// A call of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub function: TableName,
    /// Those without a name first.
    pub arguments: Vec<CallArgument>,
}

/// What a call gives to a function.
#[derive(Clone, Debug, PartialEq)]
pub struct CallArgument {
    /// `None`: given by its place.
    pub name: Option<Identifier>,
    pub value: Expression,
}

/// The name of an item of FROM, by counter: `t0`, `t1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Alias(pub u32);

/// A column of an item of FROM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// Of a table.
    Named(Identifier),
    /// Of a subquery, by counter: `c0`, `c1`.
    Numbered(u16),
}

/// The number of a column with places of rows, behind the numbers of all other columns.
pub const PLACE: u16 = u16::MAX;

/// The place of a parameter among those of its statement, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameter(pub u16);

/// A number that stands in the statement's text, by its place among those. It is known when the
/// statement is sent, so that the database can plan for few rows without knowing the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bound(pub u8);

/// A query.
#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    pub distinct: bool,
    /// Of the rows that agree in these only the first is kept: the order begins with them. See
    /// [`Flavor::distinct_on`](crate::Flavor::distinct_on).
    pub distinct_on: Vec<Expression>,
    pub items: Vec<SelectItem>,
    pub from: Option<FromItem>,
    pub joins: Vec<Join>,
    pub filter: Option<Expression>,
    pub group_by: Vec<Expression>,
    /// A condition on groups.
    pub having: Option<Expression>,
    pub order_by: Vec<OrderItem>,
    pub limit: Option<Expression>,
    pub offset: Option<Expression>,
    /// What offset and limit together do not exceed, where that may be said.
    pub bound: Option<Bound>,
    /// The rows cannot change until the transaction ends.
    pub locked: bool,
}

/// A column of the result.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectItem {
    pub expression: Expression,
    /// Its name as a [`Column::Numbered`] of the subquery it belongs to.
    pub name: Option<u16>,
}

/// What rows are taken from.
#[derive(Clone, Debug, PartialEq)]
pub enum FromItem {
    Table {
        name: TableName,
        alias: Alias,
    },
    Subquery {
        select: Box<Select>,
        alias: Alias,
    },
    /// The rows of several queries, one after the other.
    Union {
        selects: Vec<Select>,
        alias: Alias,
    },
    /// Rows of lists of equal length, one column each. Where there are array types each column is
    /// an array; otherwise the only parameter is a JSON array of rows, which are arrays.
    Arrays {
        parameters: Vec<Parameter>,
        columns: u16,
        alias: Alias,
    },
    /// The same, and the place of each row from 1 as the column behind them.
    Keys {
        parameters: Vec<Parameter>,
        /// How many columns there are, their places left aside.
        columns: u16,
        alias: Alias,
    },
    /// Rows made of an array parameter whose elements are rows.
    RowArray {
        parameter: Parameter,
        /// Whether the place of each row stands behind its columns, by the number [`PLACE`]. The rows
        /// are not of the type of their table then.
        has_places: bool,
        alias: Alias,
    },
    /// One row of values, by the names of their columns.
    Values {
        columns: Vec<(Identifier, Parameter)>,
        /// The table whose columns they are compared as: a parameter by itself has no collation and
        /// no affinity.
        like: TableName,
        alias: Alias,
    },
    /// The rows of an array of a table's rows, which is given as its text.
    RowsOfText {
        text: Expression,
        table: TableName,
        alias: Alias,
    },
    /// The rows that a function gives.
    Function {
        call: Call,
        /// The function gives an array of rows.
        unnest: bool,
        alias: Alias,
        /// The name of the only column, where the function gives values.
        column: Option<Identifier>,
    },
    /// The rows of a query that somebody else has written, with the names of its columns.
    Written {
        parts: Vec<WrittenPart>,
        alias: Alias,
    },
}

/// A part of a written query.
#[derive(Clone, Debug, PartialEq)]
pub enum WrittenPart {
    Text(Box<str>),
    Value(Expression),
}

/// One more item of FROM, joined to those before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    pub kind: JoinKind,
    pub item: FromItem,
}

/// How an item is joined.
#[derive(Clone, Debug, PartialEq)]
pub enum JoinKind {
    Inner(Expression),
    Left(Expression),
    /// As `Left` with a table, of which one row at most joins; what stands before it stays in its
    /// order, because the database cannot choose another way than to look the row up.
    LeftInOrder(Expression),
    /// A subquery or a function for each row of what stands before it.
    CrossLateral,
}

/// A value or a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    Column {
        alias: Alias,
        column: Column,
    },
    Parameter(Parameter),
    Boolean(bool),
    Compare {
        left: Box<Expression>,
        comparison: Comparison,
        right: Box<Expression>,
    },
    /// True when empty.
    And(Vec<Expression>),
    /// False when empty.
    Or(Vec<Expression>),
    Not(Box<Expression>),
    /// False or unknown.
    IsNotTrue(Box<Expression>),
    IsNull(Box<Expression>),
    /// Null itself: a row of nulls is none.
    IsNullItself(Box<Expression>),
    /// Equal to an element of a list parameter.
    InList {
        expression: Box<Expression>,
        list: Parameter,
    },
    /// Compares so with some element of a list parameter.
    ComparesToAny {
        expression: Box<Expression>,
        comparison: Comparison,
        list: Parameter,
    },
    /// Equal to an element of a list parameter of texts, both without regard to case; the
    /// expression is [`Expression::Folded`].
    InFoldedList {
        expression: Box<Expression>,
        list: Parameter,
    },
    /// A case-sensitive pattern.
    Like {
        expression: Box<Expression>,
        pattern: Parameter,
    },
    /// A pattern that matches without regard to case.
    LikeIgnoringCase {
        expression: Box<Expression>,
        pattern: Parameter,
    },
    InTextIndex(Box<InTextIndex>),
    InPlaceIndex(Box<InPlaceIndex>),
    /// Whether the query gives a row.
    Exists(Box<Select>),
    /// Equal to the only value of a row that the query gives.
    InRows {
        expression: Box<Expression>,
        rows: Box<Select>,
    },
    /// Whether a value compares so with some element of an array.
    AnyElement {
        value: Parameter,
        comparison: Comparison,
        array: Box<Expression>,
    },
    /// Whether some element of an array is neither less than one value nor greater than another.
    ElementBetween {
        least: Parameter,
        most: Parameter,
        array: Box<Expression>,
    },
    /// Whether some element of an array is in a list.
    AnyElementIn {
        list: Parameter,
        array: Box<Expression>,
    },
    /// An attribute of a composite.
    Attribute {
        of: Box<Expression>,
        name: Identifier,
    },
    Cast {
        expression: Box<Expression>,
        r#type: SqlType,
    },
    /// A text timestamp in the one form in which equal moments are equal texts, for databases
    /// that have no type of timestamps.
    CanonicalTimestamp(Box<Expression>),
    /// A boolean as the text `true` or `false`, for databases that have numbers for it.
    TruthText(Box<Expression>),
    /// A text time as a number in the order of what it means, for databases that have no types of
    /// times.
    TimeNumber {
        kind: TimeKind,
        text: Box<Expression>,
    },
    /// Text in small letters, those beyond ASCII included, as far as the database's locale knows
    /// them.
    Folded(Box<Expression>),
    /// Text in small letters; of other letters than those of ASCII nothing is said.
    Lower(Box<Expression>),
    /// Text of ASCII letters that compare without regard to case, for databases that have no
    /// type of UUIDs.
    IgnoreCase(Box<Expression>),
    CountRows,
    /// The next key of the sequence of the tables of a schema.
    NextKey {
        schema: Option<Identifier>,
    },
    /// JSON as a value of a column, of whichever type that is: with
    /// [`Flavor::row_types`](crate::Flavor::row_types).
    OfJson(Box<OfJson>),
    /// One value of all rows of a group, nulls left out.
    Aggregate {
        function: AggregateFunction,
        argument: Box<Expression>,
    },
    /// The beginning of the hour or day of a moment; of a text moment in the canonical form.
    Truncated {
        unit: TimeUnit,
        moment: Box<Expression>,
    },
    Call(Call),
    /// The whole row of an item of FROM as one value; as an item of SELECT all of its columns.
    Row(Alias),
    /// A number that belongs to the statement, whatever values it has.
    Number(u16),
    /// The place of a row among those that agree in some values, from 1.
    RowNumber {
        partition_by: Vec<Expression>,
        order_by: Vec<OrderItem>,
    },
    /// The value where the condition is true, and null elsewhere.
    When {
        condition: Box<Expression>,
        then: Box<Expression>,
    },
    /// An array, an empty one instead of null.
    OrEmptyArray(Box<Expression>),
    /// The only value of a query that gives one row at most.
    Subquery(Box<Select>),
    VectorDistance(Box<VectorDistance>),
    /// True, once searches of indexes of vectors visit so many of them until the end of the transaction. It
    /// is a query, which runs once, before the rows are read whose condition it is.
    VisitsVectors(Parameter),
    /// Within an aggregate: the different values.
    Distinct(Box<Expression>),
    /// The first of two or more values that is not null.
    Coalesce(Vec<Expression>),
    /// The arguments of an aggregate of several values.
    Arguments(Vec<Expression>),
    /// Several values as one, of which the nulls are parts as well: to count different ones.
    Together(Vec<Expression>),
    /// What is computed of two values.
    Computed {
        left: Box<Expression>,
        operation: Operation,
        right: Box<Expression>,
    },
    /// What an insert would have written into a column, where the row is there already.
    Excluded(Identifier),
}

// Compilers hold many of them in each frame of their recursion.
const _: () = assert!(size_of::<Expression>() <= 56);

/// The distance of two lists of floats as vectors of one length, as an index of them computes it: an
/// order by it reads the index.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorDistance {
    pub vector: Expression,
    pub other: Expression,
    pub dimensions: u16,
    pub operator: VectorOperator,
    /// The schema of the type and of its operators.
    pub schema: Identifier,
}

/// Operators of distances of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorOperator {
    Euclidean,
    Cosine,
    /// The negative dot product, which orders as one minus the dot product does.
    DotProduct,
}

/// Whether a row is among those that a virtual table of texts returns for a query, by their numbers.
/// All rows of the table are, if the query is null.
#[derive(Clone, Debug, PartialEq)]
pub struct InTextIndex {
    pub number: Expression,
    pub index: TableName,
    pub query: Parameter,
    /// The table whose texts are indexed, with the column of the numbers.
    pub content: TableName,
    pub key: Identifier,
}

/// Whether a row is among those of which a virtual table has a box that overlaps another, by their
/// numbers. Without a box none is.
#[derive(Clone, Debug, PartialEq)]
pub struct InPlaceIndex {
    pub number: Expression,
    pub index: TableName,
    /// West, south, east and north as a JSON array.
    pub bounds: Parameter,
}

/// What an aggregate makes of the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateFunction {
    Count,
    CountDistinct,
    /// Of floats.
    Sum,
    /// Of floats, zero without values.
    Total,
    /// Of integers and decimals, with every digit.
    ExactSum,
    /// The same, zero without values.
    ExactTotal,
    /// Of floats.
    Average,
    /// Of integers and decimals, as a decimal.
    ExactAverage,
    Minimum,
    Maximum,
    /// Of booleans.
    All,
    Any,
    StandardDeviationSample,
    StandardDeviationPopulation,
    VarianceSample,
    VariancePopulation,
    /// Of two [arguments](Expression::Arguments).
    Correlation,
    CovarianceSample,
}

/// A unit that moments are cut off at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    Hour,
    Day,
}

/// An operator between two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    DistinctFrom,
    NotDistinctFrom,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// Of arrays, ranges and JSON.
    Contains,
    ContainedBy,
    Overlaps,
    /// Of networks.
    ContainsOrEquals,
    ContainedOrEquals,
    ContainsMore,
    ContainedByMore,
    /// A text matches a regular expression.
    MatchesRegex,
    MatchesRegexIgnoringCase,
    /// The whole text matches a pattern of SIMILAR TO.
    SimilarTo,
    HasKey,
    HasAnyKey,
    HasAllKeys,
    PathExists,
    PathIsTrue,
    /// The labels of a path match a full-text query.
    MatchesLabels,
    /// Of ranges.
    LeftOf,
    RightOf,
    NotRightOf,
    NotLeftOf,
    Adjacent,
}

/// What a text time means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeKind {
    /// A moment, by its offset.
    Instant,
    /// A time of day.
    Clock,
    /// A time of day with an offset.
    ZonedClock,
}

/// A type that an expression is cast to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SqlType {
    Text,
    TextArray,
    Numeric,
    NumericArray,
    /// A type of PostgreSQL, by its name.
    Named(TableName),
}

/// One term of ORDER BY.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderItem {
    pub expression: Expression,
    pub direction: Direction,
    /// `None` where no null can come.
    pub nulls: Option<NullsOrder>,
}

/// The direction of a term of ORDER BY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

/// Where a term of ORDER BY puts nulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullsOrder {
    First,
    Last,
}

impl Select {
    /// A query of `from` without items.
    #[must_use]
    pub fn from(from: FromItem) -> Self {
        Self { from: Some(from), ..Self::once() }
    }

    /// A query of one row that is taken from nowhere.
    #[must_use]
    pub fn once() -> Self {
        Self {
            distinct: false,
            distinct_on: Vec::new(),
            items: Vec::new(),
            from: None,
            joins: Vec::new(),
            filter: None,
            group_by: Vec::new(),
            having: None,
            order_by: Vec::new(),
            limit: None,
            offset: None,
            bound: None,
            locked: false,
        }
    }

    /// How many columns its rows have: one at least, since a row without columns cannot be said
    /// everywhere.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.items.len().max(1)
    }

    /// How many tables it reads, those of its subqueries included.
    #[must_use]
    pub fn tables(&self) -> usize {
        let joined = self.joins.iter().map(|join| &join.item);
        let items: usize = self.from.iter().chain(joined).map(FromItem::tables).sum();
        let shown = self.items.iter().map(|item| &item.expression);
        let order = self.order_by.iter().map(|item| &item.expression);
        let expressions = shown.chain(order).chain(&self.filter);
        items + expressions.map(Expression::tables).sum::<usize>()
    }

    /// Adds a condition to those there are.
    pub fn and_where(&mut self, condition: Expression) {
        self.filter = Some(match self.filter.take() {
            None => condition,
            Some(Expression::And(mut conditions)) => {
                conditions.push(condition);
                Expression::And(conditions)
            }
            Some(other) => Expression::And(vec![other, condition]),
        });
    }
}

impl Expression {
    #[must_use]
    pub fn named(alias: Alias, name: &str) -> Self {
        Self::Column { alias, column: Column::Named(Identifier(name.into())) }
    }

    #[must_use]
    pub fn numbered(alias: Alias, number: u16) -> Self {
        Self::Column { alias, column: Column::Numbered(number) }
    }

    #[must_use]
    pub fn equals(self, right: Self) -> Self {
        Self::Compare {
            left: Box::new(self),
            comparison: Comparison::Equal,
            right: Box::new(right),
        }
    }

    /// The first of these values that is not null, without a wrapper around a single one.
    #[must_use]
    pub fn first_of(mut values: Vec<Self>) -> Self {
        match values.len() {
            1 => values.swap_remove(0),
            _ => Self::Coalesce(values),
        }
    }

    /// The number of elements of an array.
    #[must_use]
    pub fn cardinality(array: Self) -> Self {
        let schema = Some(Identifier("pg_catalog".into()));
        let function = TableName { schema, name: Identifier("cardinality".into()) };
        let arguments = vec![CallArgument { name: None, value: array }];
        Self::Call(Call { function, arguments })
    }

    /// How many tables the subqueries in a condition read.
    fn tables(&self) -> usize {
        match self {
            Self::Exists(select) | Self::Subquery(select) | Self::InRows { rows: select, .. } => {
                select.tables()
            }
            Self::Compare { left, right, .. } => left.tables() + right.tables(),
            Self::And(conditions) | Self::Or(conditions) => {
                conditions.iter().map(Self::tables).sum()
            }
            Self::Not(condition) | Self::IsNotTrue(condition) | Self::IsNull(condition) => {
                condition.tables()
            }
            _ => 0,
        }
    }

    /// Whether some column of the row is not null.
    #[must_use]
    pub fn is_a_row(alias: Alias) -> Self {
        Self::Not(Box::new(Self::IsNull(Box::new(Self::Row(alias)))))
    }

    /// The conjunction, without a wrapper around a single condition.
    #[must_use]
    pub fn all(mut conditions: Vec<Self>) -> Self {
        match conditions.len() {
            1 => conditions.swap_remove(0),
            _ => Self::And(conditions),
        }
    }
}

impl FromItem {
    fn tables(&self) -> usize {
        match self {
            Self::Table { .. } | Self::Function { .. } | Self::Written { .. } => 1,
            Self::Subquery { select, .. } => select.tables(),
            Self::Union { selects, .. } => selects.iter().map(Select::tables).sum(),
            Self::Arrays { .. }
            | Self::Keys { .. }
            | Self::RowArray { .. }
            | Self::Values { .. }
            | Self::RowsOfText { .. } => 0,
        }
    }

    #[must_use]
    pub fn alias(&self) -> Alias {
        match self {
            Self::Table { alias, .. }
            | Self::Subquery { alias, .. }
            | Self::Union { alias, .. }
            | Self::Arrays { alias, .. }
            | Self::Keys { alias, .. }
            | Self::RowArray { alias, .. }
            | Self::Values { alias, .. }
            | Self::RowsOfText { alias, .. }
            | Self::Function { alias, .. }
            | Self::Written { alias, .. } => *alias,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Alias, Expression, FromItem, Identifier, Join, JoinKind, Select, TableName};

    fn table(alias: u32) -> FromItem {
        let name = TableName { schema: None, name: Identifier("t".into()) };
        FromItem::Table { name, alias: Alias(alias) }
    }

    fn left(item: FromItem) -> Join {
        Join { kind: JoinKind::Left(Expression::Boolean(true)), item }
    }

    #[test]
    fn tables_of_subqueries_count() {
        let mut inner = Select::from(table(0));
        inner.joins.push(left(table(1)));
        let mut select =
            Select::from(FromItem::Arrays { parameters: Vec::new(), columns: 0, alias: Alias(2) });
        let subquery = FromItem::Subquery { select: Box::new(inner), alias: Alias(3) };
        select.joins = vec![left(subquery), left(table(4))];
        assert_eq!(select.tables(), 3);
    }
}
