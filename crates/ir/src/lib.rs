//! The intermediate representation (IR) of a request: a tree that knows no dialect, permission,
//! table or label.
//!
//! A dialect lowers an operation into a [`Request`]; `engine::authorize` adds filters and
//! requirements; a source compiles it into statements. The tree alone suffices: no later stage
//! looks back at the document. Variants that no source compiles yet are refused by its compiler
//! with a clear error; docs/internals/paper-proof.md shows the purpose of each.
//!
//! * [`request`]: steps and transactions
//! * [`step_id`]: indexes of steps
//! * [`rows`]: reads: origin, filter, order, pagination and outputs of rows
//! * [`claims`]: the claims of a session, which operands name
//! * [`event`]: kinds of events
//! * [`filter`]: conditions in SQL's three values
//! * [`objects`]: changes of rows of several entities by keys of one sequence
//! * [`operand`]: values that are bound when statements run
//! * [`value_form`]: conversions of input values that have parts
//! * [`write`](mod@write): inserts, updates, deletes and links
//! * [`print`](mod@print): the tree as text, for tests and `explain`

// Tests name the crate as its users do.
#[cfg(test)]
extern crate self as ir;

pub mod claims;
pub mod event;
pub mod filter;
pub mod objects;
pub mod operand;
pub mod print;
pub mod request;
pub mod rows;
pub mod step_id;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]
mod tests;
pub mod value_form;
pub mod write;

pub use claims::Claims;
pub use event::EventKind;
pub use filter::{
    Candidates, Case, Comparison, Distance, Filter, GeoOperator, Metric, Nearest, OtherVector,
    Quantifier, SpatialRelation, TextMatch, TimeUnit, TreeComparison, ValueRef, VectorOfRow,
};
pub use objects::{
    FindPurpose, KeyPlace, NewKeyPlace, ObjectChange, ObjectKey, ObjectKeys, ObjectSet, Pairing,
    WhichObjects,
};
pub use operand::{
    Codec, FieldPath, NewId, OpaqueKey, Operand, PasswordPart, PathItem, Representations,
    Represented, RepresentedInput, RepresentedKey, RepresentedPart, RepresentedValue, Slot, Value,
};
pub use print::{print, print_field_set, print_filter};
pub use request::{
    Authority, Isolation, Otherwise, OtherwiseKind, Request, Require, Step, StepCondition,
    StepKind, Transaction,
};
pub use rows::{
    Aggregate, AggregateFunction, AggregateTerm, BesideRows, Call, Direction, EventNode,
    ExternalArgument, Form, From, Groups, Hop, HopDirection, Keyset, KeysetValue, Nulls, OrderKey,
    OrderTerm, Output, OutputId, OutputKind, Page, Rows, RowsId, State, Variant,
};
pub use step_id::StepId;
pub use value_form::{GeometryForm, JsonTexts, Member, TextValue, Unit, ValueForm};
pub use write::{
    Assignment, ChildWrite, Conflict, Counter, ExistingLink, ExpectedLinks, Insert, InsertedRows,
    Update, Write, WriteKind,
};
