//! Differences between the databases, as a table of facts.
//!
//! The printer writes standard SQL; a fact is here only where a database has no standard form
//! or means something else by it. Neither the printer nor its callers test which database it is.

mod form;

use crate::tree::{Direction, NullsOrder};

pub use form::{
    CastTypes, Definitions, EmptyRow, KeyArrays, KeySequence, NullSafeEqual, NullsOrderForm,
    OffsetAlone, ParameterStyle, ParentPages, Pattern, Quoting, Returning, TargetAlias, Truncation,
    Upsert, WordIndexes,
};

/// The SQL of one database, as facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flavor {
    pub quoting: Quoting,
    pub parameters: ParameterStyle,
    pub key_arrays: KeyArrays,
    pub null_safe_equal: NullSafeEqual,
    /// Whether null counts as larger than every value, as in PostgreSQL, or smaller.
    pub nulls_are_largest: bool,
    pub nulls_order: NullsOrderForm,
    pub pattern: Pattern,
    /// The function that makes small letters of all letters.
    pub fold: &'static str,
    /// The sequence of the keys of all tables, which `storage` creates.
    pub sequence: KeySequence,
    pub offset_alone: OffsetAlone,
    /// There are types of timestamps and UUIDs; otherwise they are text, in more than one form.
    pub typed_text: bool,
    pub truncation: Truncation,
    /// `SELECT DISTINCT ON (…)`; otherwise rows are numbered.
    pub distinct_on: bool,
    pub casts: CastTypes,
    /// Sums and averages of integers and decimals have every digit; otherwise the source brings
    /// the functions `exact_sum` and `exact_avg`.
    pub exact_sums: bool,
    /// There are aggregates of booleans, which are no numbers.
    pub boolean_aggregates: bool,
    /// An average of floats adds up their squares as well, which may be out of range where the
    /// average is not.
    pub average_squares: bool,
    /// Several values can be one row, whose nulls are parts of it; elsewhere they are one text.
    pub row_values: bool,
    /// There is a type of each table's rows: a row can be read as a text, and sent back as a row.
    pub row_types: bool,
    /// RETURNING may have a whole row as one value, and values in other forms than they are stored in.
    pub returns_made_values: bool,
    pub parent_pages: ParentPages,
    pub target_alias: TargetAlias,
    pub returning: Returning,
    pub upsert: Upsert,
    pub empty_row: EmptyRow,
    /// DEFAULT may stand for a value of an INSERT.
    pub default_cell: bool,
    /// `FOR UPDATE` keeps rows that are read from changing; otherwise a transaction that writes keeps
    /// all others away.
    pub row_locks: bool,
    /// It is known how many rows of a view a statement changed, where triggers do what it says.
    pub counts_views: bool,
    /// Statements are planned for the values of their parameters until one plan has proved good
    /// for all; a page whose size is a parameter counts as a tenth of the rows, so never does.
    pub plans_for_values: bool,
    /// Rows of a table may be sorted before others are joined to them, those among it that an EXISTS
    /// asks for.
    pub sorts_before_joins: bool,
    /// The values of a list are read when one is first compared with them, and not if no row comes
    /// so far.
    pub reads_lists_late: bool,
    /// The most parameters of a statement.
    pub most_parameters: usize,
    /// The most tables of a statement: what the database can join, or what it plans in a second.
    pub most_tables: usize,
    /// The most columns that a statement gives.
    pub most_columns: usize,
    /// How deep EXISTS within EXISTS may be planned freely. PostgreSQL plans each in two ways, so
    /// that every level doubles the work; those further down get an OFFSET, which leaves one way.
    pub freely_nested: usize,
    pub definitions: Definitions,
}

/// The function that matches a text with a LIKE pattern, case-sensitive, in time linear in the text.
/// Whoever opens the database defines it.
pub const LIKE: &str = "thalweg_like";

/// The same without regard to case.
pub const LIKE_IGNORING_CASE: &str = "thalweg_like_ignoring_case";

/// The function that gives a number for a text timestamp with an offset, in the order of moments,
/// likewise.
pub const INSTANT: &str = "thalweg_instant";

/// The function that gives a text for a text timestamp, in the order of moments: in UTC, if it has an
/// offset.
pub const TIMESTAMP: &str = "thalweg_timestamp";

/// The function of [`INSTANT`] for a time of day.
pub const CLOCK: &str = "thalweg_clock";

/// The same for a time of day with an offset.
pub const ZONED_CLOCK: &str = "thalweg_zoned_clock";

/// The function that gives one text for all JSON texts of the same content, likewise.
pub const JSON_CONTENT: &str = "thalweg_json_content";

/// Whether JSON contains JSON.
pub const JSON_CONTAINS: &str = "thalweg_json_contains";

/// Whether JSON has a key.
pub const JSON_HAS_KEY: &str = "thalweg_json_has_key";

/// Whether JSON has one of the keys of a list, or all of them.
pub const JSON_HAS_ANY_KEY: &str = "thalweg_json_has_any_key";
pub const JSON_HAS_ALL_KEYS: &str = "thalweg_json_has_all_keys";

/// Functions that change a part of JSON as the operators `||`, `-` and `#-` of PostgreSQL's `jsonb`.
pub const JSON_MERGE: &str = "thalweg_json_merge";
pub const JSON_DELETE_KEY: &str = "thalweg_json_delete_key";
pub const JSON_DELETE_ELEMENT: &str = "thalweg_json_delete_element";
pub const JSON_DELETE_PATH: &str = "thalweg_json_delete_path";

/// Functions that test a place in GeoJSON, likewise: with `thalweg_` before their names, or in
/// PostgreSQL in the schema of Thalweg.
pub const GEO_NEAR: &str = "geo_near";
pub const GEO_WITHIN: &str = "geo_within";
pub const GEO_CONTAINS: &str = "geo_contains";
pub const GEO_INTERSECTS: &str = "geo_intersects";

/// The function of PostgreSQL that returns a box of longitudes and latitudes around a place.
pub const GEO_BOX: &str = "geo_box";

/// Functions of two vectors, named likewise.
pub const VECTOR_EUCLIDEAN: &str = "vector_euclidean";
pub const VECTOR_COSINE: &str = "vector_cosine";
pub const VECTOR_DOT_PRODUCT: &str = "vector_dot_product";

/// The function that returns a JSON list without the elements of another, likewise.
pub const LIST_WITHOUT: &str = "thalweg_list_without";

/// The function that returns a JSON list with the elements of another that it lacks, likewise.
pub const LIST_WITH: &str = "thalweg_list_with";

/// Functions that add two integers: a sum beyond so many bits is an error.
pub const ADD_INT16: &str = "thalweg_add_int16";
pub const ADD_INT32: &str = "thalweg_add_int32";
pub const ADD_INT64: &str = "thalweg_add_int64";

/// Functions that search the words of a text, by words and by their stems, likewise.
pub const ALL_TERMS: &str = "thalweg_all_terms";
pub const ANY_TERM: &str = "thalweg_any_term";
pub const ALL_STEMS: &str = "thalweg_all_stems";
pub const ANY_STEM: &str = "thalweg_any_stem";
pub const ANY_STEM_SEQUENCE: &str = "thalweg_any_stem_sequence";

/// The function that matches a text with a regular expression in the syntax of RE2, likewise.
pub const RE2: &str = "thalweg_re2";

/// The functions of PostgreSQL, in the schema of Thalweg, which return the words of a text, their
/// stems, and sequences of stems, as arrays.
pub const TERMS: &str = "terms";
pub const STEMS: &str = "stems";
pub const STEM_SEQUENCES: &str = "stem_sequences";

/// The function that makes small letters of all letters, likewise.
pub const FOLD: &str = "thalweg_fold";

impl Flavor {
    pub const POSTGRES: Self = Self {
        quoting: Quoting::DoubleQuotes,
        parameters: ParameterStyle::Dollar,
        key_arrays: KeyArrays::Unnest,
        null_safe_equal: NullSafeEqual::DistinctFrom,
        nulls_are_largest: true,
        nulls_order: NullsOrderForm::Keyword,
        pattern: Pattern::Like,
        fold: "lower",
        sequence: KeySequence::Call("nextval('thalweg.id')"),
        offset_alone: OffsetAlone::Allowed,
        typed_text: true,
        truncation: Truncation::DateTrunc,
        distinct_on: true,
        casts: CastTypes { text: "text", numeric: "numeric", double: "double precision" },
        exact_sums: true,
        boolean_aggregates: true,
        average_squares: true,
        row_values: true,
        row_types: true,
        returns_made_values: true,
        parent_pages: ParentPages::Lateral,
        target_alias: TargetAlias::Everywhere,
        returning: Returning::Aliased,
        upsert: Upsert::OnConflict,
        empty_row: EmptyRow::DefaultValues,
        default_cell: true,
        row_locks: true,
        counts_views: true,
        plans_for_values: true,
        sorts_before_joins: true,
        reads_lists_late: false,
        most_parameters: 65_535,
        most_tables: 100,
        most_columns: 1_664,
        freely_nested: 6,
        definitions: Definitions {
            json: "JSONB",
            arrays: true,
            number_key: "BIGINT",
            alters_tables: true,
            without_rowid: false,
            trigger_functions: true,
            references_after_triggers: false,
            hash_indexes: true,
            words: WordIndexes::Indexes,
            schemas: true,
        },
    };

    /// PostgreSQL with Citus, whose planner divides statements among servers: it has no plan for a
    /// lateral query with a limit, and none for values in RETURNING that depend on settings, such as
    /// the text of a row.
    pub const CITUS: Self = Self {
        returns_made_values: false,
        parent_pages: ParentPages::Numbered,
        // A statement for several servers is planned at each execution.
        plans_for_values: false,
        ..Self::POSTGRES
    };

    /// CockroachDB. Its texts of rows cannot be read back as rows (an array of them is no array of a
    /// table's type), null is smaller than every value unless the setting `null_ordered_last` says
    /// otherwise, and each execution of a statement is planned for the values of its parameters.
    pub const COCKROACHDB: Self = Self {
        nulls_are_largest: false,
        nulls_order: NullsOrderForm::KeywordAlways,
        row_types: false,
        average_squares: false,
        plans_for_values: false,
        // The order of a subquery is not kept.
        sorts_before_joins: false,
        freely_nested: usize::MAX,
        ..Self::POSTGRES
    };

    /// YugabyteDB, whose planner and executor are PostgreSQL's.
    pub const YUGABYTEDB: Self = Self::POSTGRES;

    pub const SQLITE: Self = Self {
        quoting: Quoting::DoubleQuotes,
        parameters: ParameterStyle::NumberedQuestion,
        key_arrays: KeyArrays::JsonEach,
        null_safe_equal: NullSafeEqual::Is,
        nulls_are_largest: false,
        nulls_order: NullsOrderForm::Keyword,
        pattern: Pattern::Glob,
        fold: FOLD,
        sequence: KeySequence::Row { table: "thalweg_sequence", column: "last" },
        offset_alone: OffsetAlone::AfterLimit("-1"),
        typed_text: false,
        truncation: Truncation::Substring,
        distinct_on: false,
        casts: CastTypes { text: "text", numeric: "numeric", double: "double precision" },
        exact_sums: false,
        boolean_aggregates: false,
        average_squares: false,
        row_values: false,
        row_types: false,
        returns_made_values: true,
        parent_pages: ParentPages::Lateral,
        target_alias: TargetAlias::Insert,
        returning: Returning::Columns,
        upsert: Upsert::OnConflict,
        empty_row: EmptyRow::DefaultValues,
        default_cell: false,
        row_locks: false,
        counts_views: false,
        plans_for_values: false,
        sorts_before_joins: false,
        reads_lists_late: true,
        most_parameters: 32_766,
        most_tables: 64,
        most_columns: 2_000,
        freely_nested: usize::MAX,
        definitions: Definitions {
            json: "JSON",
            arrays: false,
            number_key: "INTEGER",
            alters_tables: false,
            without_rowid: true,
            trigger_functions: false,
            references_after_triggers: true,
            hash_indexes: false,
            words: WordIndexes::VirtualTables,
            schemas: false,
        },
    };

    /// Where nulls stand if nothing is said.
    #[must_use]
    pub(crate) fn default_nulls(&self, direction: Direction) -> NullsOrder {
        match (direction, self.nulls_are_largest) {
            (Direction::Ascending, true) | (Direction::Descending, false) => NullsOrder::Last,
            (Direction::Ascending, false) | (Direction::Descending, true) => NullsOrder::First,
        }
    }
}
