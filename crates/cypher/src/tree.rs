//! The nodes of a statement: its clauses, the patterns in [`pattern`] and the expressions in
//! [`expression`]; statements about a database's constraints and indexes in [`schema`], and
//! authors' own statements in [`statement`].

pub mod expression;
pub mod pattern;
pub mod schema;
pub mod statement;

pub use expression::{Case, Comparison, Expression, Function, Operation};
pub use pattern::{Labels, NodePattern, Path, RelationshipDirection, RelationshipPattern, Step};
pub use schema::SchemaChange;
pub use statement::{Statement, StatementPart};

/// A label, a relationship type or a property's name, quoted by the printer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name(pub Box<str>);

/// A variable of a statement, by counter; its kind decides the letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variable {
    /// A node or a relationship: `t0`.
    Element(u32),
    /// A column of a subquery: `c0`.
    Column(u32),
    /// An element of a list: `x0`.
    Item(u32),
}

/// The index of a parameter of its statement: `$p0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameter(pub u16);

/// A whole statement, or the body of a subquery.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// More than one is a union.
    pub branches: Vec<Vec<Clause>>,
    pub union: Union,
}

/// Handling of duplicates in a union.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Union {
    /// Keeps duplicates.
    All,
    /// Removes duplicates.
    Distinct,
}

/// One clause.
#[derive(Clone, Debug, PartialEq)]
pub enum Clause {
    Match(Match),
    With(Projection),
    Return(Projection),
    Unwind {
        list: Expression,
        variable: Variable,
    },
    Create(Vec<Path>),
    Merge(Merge),
    /// Never empty.
    Set(Vec<Set>),
    /// Never empty.
    Remove(Vec<Removal>),
    /// Never empty.
    Delete {
        detach: bool,
        elements: Vec<Variable>,
    },
    Search(Search),
    /// A subquery for each row, which imports only the variables of `scope`.
    Call {
        scope: Vec<Variable>,
        query: Query,
    },
    Statement(Statement),
}

/// Rows for each match of the patterns.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// A row of nulls where there is no match.
    pub optional: bool,
    pub paths: Vec<Path>,
    pub filter: Option<Expression>,
}

/// Rows for each node that an index finds, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    pub index: SearchIndex,
    /// The name of the index, and further arguments of the procedure.
    pub arguments: Vec<Expression>,
    pub node: Variable,
    pub score: Variable,
    pub filter: Option<Expression>,
}

/// Kinds of search indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchIndex {
    /// Full-text: takes a query in the language of Lucene.
    Fulltext,
    /// Vector: takes the number of nodes, and the vector.
    Vector,
}

/// A pattern that is matched, or created.
#[derive(Clone, Debug, PartialEq)]
pub struct Merge {
    pub path: Path,
    pub on_create: Vec<Set>,
    pub on_match: Vec<Set>,
}

/// The columns of a WITH or a RETURN.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Projection {
    pub distinct: bool,
    /// Empty for `*`.
    pub items: Vec<ProjectionItem>,
    pub order: Vec<OrderItem>,
    pub skip: Option<Expression>,
    pub limit: Option<Expression>,
    /// The WHERE of a WITH.
    pub filter: Option<Expression>,
}

/// One column of a projection.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectionItem {
    pub expression: Expression,
    /// `None` keeps the name of a variable.
    pub name: Option<Variable>,
}

/// One term of ORDER BY.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderItem {
    pub expression: Expression,
    pub direction: Direction,
}

/// The direction of a term of ORDER BY: nulls are greater than every value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

/// One change of SET.
#[derive(Clone, Debug, PartialEq)]
pub enum Set {
    Property { of: Variable, name: Name, value: Expression },
    Labels { of: Variable, labels: Vec<Name> },
}

/// One item of REMOVE.
#[derive(Clone, Debug, PartialEq)]
pub enum Removal {
    Property { of: Variable, name: Name },
    Labels { of: Variable, labels: Vec<Name> },
}

impl Query {
    /// A query without a union.
    #[must_use]
    pub fn of(clauses: Vec<Clause>) -> Self {
        Self { branches: vec![clauses], union: Union::All }
    }
}

impl Match {
    /// A pattern with its condition.
    #[must_use]
    pub fn of(path: Path, filter: Option<Expression>) -> Clause {
        Clause::Match(Self { optional: false, paths: vec![path], filter })
    }
}

impl Projection {
    /// Variables by their own names.
    #[must_use]
    pub fn of(variables: impl IntoIterator<Item = Variable>) -> Self {
        let items = variables.into_iter().map(ProjectionItem::variable).collect();
        Self { items, ..Self::default() }
    }
}

impl ProjectionItem {
    /// A variable by its own name.
    #[must_use]
    pub fn variable(variable: Variable) -> Self {
        Self { expression: Expression::Variable(variable), name: None }
    }

    #[must_use]
    pub fn named(expression: Expression, name: Variable) -> Self {
        Self { expression, name: Some(name) }
    }
}
