//! Response writer: turns a source's rows straight into JSON bytes, or into values for a reader in
//! the same process.
//!
//! A [`Shape`] describes the response and refers to outputs of the request; a [`Layout`], made with
//! the statements, gives the level and column of each output. The [`Writer`] walks the shape, pulls
//! rows from a [`Cursor`] and calls an [`Output`]. Nothing is looked up by name, and no value tree
//! is built between a row and its text.
//!
//! * [`shape`]: the structure of a response
//! * [`cursor`]: reading rows, level by level; [`Layout`]
//! * [`leaf`]: one value to JSON; [`packed`]: values in PackStream's form
//! * [`writer`]: the walk, with null propagation
//! * [`output`]: the interface that receives parts of the response; [`output::tape`]: values
//!   without serialization
//! * [`sink`]: the buffer of bytes, with budget and streaming
//! * [`memory`]: the memory budget of all responses
//! * `append`: short texts; `repeated_lists`: deduplication of repeated lists
//! * [`calendar`]: days and times of day
//! * [`escape`]: JSON strings

// Tests name the crate as its users do.
#[cfg(test)]
extern crate self as response;

mod append;
pub mod calendar;
pub mod cursor;
pub mod escape;
mod ids;
pub mod leaf;
pub mod memory;
pub mod outlet;
pub mod output;
pub mod packed;
mod repeated_lists;
pub mod shape;
pub mod sink;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]
mod tests;
pub mod writer;

pub use cursor::{Bounds, ColumnRef, Cursor, Layout, LevelId, Value};
pub use ids::{OutputId, RowsId};
pub use leaf::{
    EnumNames, Epoch, Figure, GraphLeaf, JsonForm, Leaf, LeafError, Member, Part, Seal, Sealed,
};
pub use memory::{BudgetExceeded, MemoryBudget, MemoryReservation};
pub use outlet::{Outlet, Refused, SentPiece};
pub use output::Output;
pub use output::tape::{Recorded, Tape, Token, TokenKind};
pub use packed::{Malformed, Packed};
pub use shape::{
    Branch, BranchRows, Fields, Item, Node, NodeId, NotRead, Piece, Shape, ShapeField,
};
pub use sink::{Mark, Sink, TooLarge};
pub use writer::{
    Attempt, Echo, Element, Failure, PathItem, Segment, Sorted, Stopped, WriteError, Writer,
    Written,
};
