//! Forms that a construct has in one database or another.

/// The quotes around an identifier; those inside it are doubled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    DoubleQuotes,
    Backticks,
}

/// The form of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterStyle {
    /// `$1`
    Dollar,
    /// `?1`
    NumberedQuestion,
    /// `?`, one for each place in the text where a parameter stands: see
    /// [`Positional`](crate::Positional).
    Question,
}

/// Lists of values that a statement reads as rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyArrays {
    /// Parameters of array types: `= ANY($1)`, `unnest($1, $2)`.
    Unnest,
    /// JSON texts: `json_each(?1)`.
    JsonEach,
    /// JSON texts: `JSON_TABLE(?, '$[*]' COLUMNS (…))`, whose elements are of this type.
    JsonTable { element: &'static str },
}

/// A comparison to which null is a value like any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullSafeEqual {
    /// `IS [NOT] DISTINCT FROM`
    DistinctFrom,
    /// `IS [NOT]`
    Is,
    /// `<=>`
    Spaceship,
}

/// The form of an order that puts nulls elsewhere than the database would.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullsOrderForm {
    /// `NULLS FIRST`, `NULLS LAST`
    Keyword,
    /// `NULLS FIRST`, `NULLS LAST` always, because a setting decides the default.
    KeywordAlways,
    /// A term in front: `x IS NULL DESC`, `x IS NULL`.
    ByExpression,
}

/// Functions and operators that match a text with a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `LIKE` and `ILIKE` with a pattern of `%` and `_`.
    Like,
    /// `LIKE` with a collation to which each letter is another one; without regard to case both
    /// sides are folded.
    LikeCollated { exact: &'static str },
    /// `GLOB` for the beginning of a text, so that an index is used: the binding of the parameter
    /// makes `abc*` of it. [`LIKE`](super::LIKE) and
    /// [`LIKE_IGNORING_CASE`](super::LIKE_IGNORING_CASE) for all other patterns: GLOB takes as many
    /// steps as the lengths of text and pattern multiplied, and cannot be interrupted.
    Glob,
}

/// OFFSET without a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetAlone {
    /// OFFSET may stand by itself.
    Allowed,
    /// It needs a LIMIT, and this one ends no page.
    AfterLimit(&'static str),
}

/// Pages of the rows of each of several parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParentPages {
    /// A lateral query for each parent, with a limit.
    Lateral,
    /// The rows of all parents, numbered by a window function.
    Numbered,
}

/// The beginning of an hour or a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truncation {
    /// `date_trunc('hour', x)`
    DateTrunc,
    /// `CAST(date_format(x, '%Y-%m-%d %H:00:00') AS datetime)`
    DateFormat,
    /// The first characters of a text in the canonical form.
    Substring,
}

/// Names of the types that expressions are cast to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CastTypes {
    pub text: &'static str,
    pub numeric: &'static str,
    pub double: &'static str,
}

/// Statements that may name their table by an alias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetAlias {
    /// INSERT, UPDATE and DELETE.
    Everywhere,
    /// INSERT alone; UPDATE and DELETE do not know it of a view.
    Insert,
    Nowhere,
}

/// The rows that a change gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returning {
    /// RETURNING, which knows the alias of the table.
    Aliased,
    /// RETURNING, which takes columns by their names alone.
    Columns,
    /// None: a statement of its own reads them.
    Nothing,
}

/// An INSERT that changes the row which is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upsert {
    /// `ON CONFLICT (key) DO UPDATE SET a = excluded.a WHERE …`
    OnConflict,
    /// `ON DUPLICATE KEY UPDATE a = VALUES(a)`: any unique key of the table decides, and there is
    /// no condition.
    OnDuplicateKey,
}

/// An INSERT of a row in which every column takes its default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyRow {
    /// `DEFAULT VALUES`
    DefaultValues,
    /// `() VALUES ()`
    EmptyLists,
}

/// Definitions of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definitions {
    /// The type of JSON.
    pub json: &'static str,
    /// There are columns of arrays; otherwise lists are JSON arrays.
    pub arrays: bool,
    /// The type of a primary key of one number.
    pub number_key: &'static str,
    /// ALTER TABLE changes types and constraints; otherwise the table is rebuilt.
    pub alters_tables: bool,
    /// Tables have a hidden key of their own unless they are without it.
    pub without_rowid: bool,
    /// A trigger calls a function; otherwise it has the statements itself.
    pub trigger_functions: bool,
    /// Foreign keys are checked when the triggers of the statement have run; otherwise after each
    /// row, unless they are deferred.
    pub references_after_triggers: bool,
    /// There are hash indexes, whose values may be of any length; otherwise those of B-trees may be.
    pub hash_indexes: bool,
    pub words: WordIndexes,
    /// Tables are in schemas, and so are Thalweg's own; otherwise its names begin with `thalweg_`.
    pub schemas: bool,
}

/// Indexes of the words of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordIndexes {
    /// Indexes of the table, over arrays that [`TERMS`](super::TERMS) and [`STEMS`](super::STEMS)
    /// return.
    Indexes,
    /// Virtual tables, which triggers maintain. [`ALL_TERMS`](super::ALL_TERMS) and its like search
    /// a text.
    VirtualTables,
}

/// The sequence of the keys of all tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySequence {
    /// A call takes the next key.
    Call(&'static str),
    /// The only row of a table has the last key in this column.
    Row { table: &'static str, column: &'static str },
}
