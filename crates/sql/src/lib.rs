//! A subset of SQL as a tree, and the one place that writes statement text.
//!
//! Identifiers and parameters are node types of their own; values are only ever parameters, but for
//! the literals of [`tree::definition`].
//! What the databases say differently is a fact in [`Flavor`], not a test in the printer's
//! callers.
//!
//! * [`tree`]: the nodes; [`tree::definition`]: those of statements that define tables
//! * [`flavor`]: what each database says differently
//! * [`own`]: names of Thalweg's own objects
//! * [`print`](mod@print): tree → text

pub mod flavor;
pub mod own;
pub mod print;
pub mod tree;

pub use flavor::{
    CastTypes, Definitions, EmptyRow, Flavor, KeyArrays, KeySequence, NullSafeEqual,
    NullsOrderForm, OffsetAlone, ParameterStyle, ParentPages, Pattern, Quoting, Returning,
    TargetAlias, Truncation, Upsert, WordIndexes,
};
pub use print::{
    Bounded, BulkRows, PlanFigures, Positional, command_tag, print, print_add_foreign_key,
    print_batch, print_batch_member, print_bounded, print_bulk_page, print_bulk_rows,
    print_close_cursor, print_copy_in, print_create_index, print_declare_cursor, print_definition,
    print_delete_rows, print_explain, print_explain_plan, print_fetch, print_find_rows,
    print_greatest, print_has_rows, print_insert_row, print_positional, print_row_observer,
    print_set_column, print_set_local, print_statement, print_table_rows,
};
pub use tree::{
    AggregateFunction, Alias, Bound, Call, CallArgument, Cell, Column, Comparison, ConflictAction,
    CreateIndex, Delete, Direction, Expression, ForeignKey, FromItem, Identifier, InPlaceIndex,
    InTextIndex, Insert, InsertSource, IntegerType, Join, JoinKind, NullsOrder, ObservedChange,
    OfJson, OnConflict, Operation, OrderItem, PLACE, Parameter, RowObserver, Select, SelectItem,
    Set, SqlType, Statement, TableName, TimeKind, TimeUnit, Update, VectorDistance, VectorOperator,
    WrittenPart,
};
