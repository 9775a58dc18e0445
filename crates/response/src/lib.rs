//! How an answer is written: from a source's rows straight to JSON bytes, or to values that a reader
//! in the same process takes.
//!
//! A [`Shape`] says what the answer looks like and names the outputs of the request; a
//! [`Layout`], made with the statements, says in which column of which level each output stands.
//! The [`Writer`] walks the shape, pulls rows from a [`Cursor`] and tells an [`Output`]. Nothing is
//! looked up by name, and no value tree stands between a row and its text.
//!
//! * [`shape`]: what the answer looks like
//! * [`cursor`]: how rows are read, level by level; [`Layout`]
//! * [`leaf`]: one value to JSON; [`packed`]: values in PackStream's form
//! * [`writer`]: the walk, with null propagation
//! * [`output`]: what the walk tells the parts of the answer; [`output::tape`]: values as they are
//! * [`sink`]: where the bytes go
//! * [`memory`]: what all answers may take together
//! * `append`: short texts; `written_before`: lists that are copied
//! * [`calendar`]: days and times of day
//! * [`escape`]: JSON strings

// Tests name the crate as its users do.
#[cfg(test)]
extern crate self as response;

mod append;
pub mod calendar;
pub mod cursor;
pub mod escape;
pub mod leaf;
pub mod memory;
pub mod outlet;
pub mod output;
pub mod packed;
pub mod shape;
pub mod sink;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]
mod tests;
pub mod writer;
mod written_before;

pub use cursor::{Bounds, Cursor, Layout, LevelId, Place, Value};
pub use leaf::{
    EnumNames, Epoch, Figure, GraphLeaf, JsonForm, Leaf, LeafError, Member, Part, Seal, Sealed,
};
pub use memory::{Held, Memory, NoMemory};
pub use outlet::{Outlet, Refused, SentPiece};
pub use output::Output;
pub use output::tape::{Recorded, Tape, Token, TokenKind};
pub use packed::{Malformed, Packed};
pub use shape::{
    Branch, BranchRows, Fields, Item, Node, NodeId, NotRead, OutputId, Piece, RowsId, Shape,
    ShapeField,
};
pub use sink::{Mark, Sink, TooLarge};
pub use writer::{
    Attempt, Echo, Element, Failure, PathItem, Segment, Sorted, Stopped, WriteError, Writer,
    Written,
};
