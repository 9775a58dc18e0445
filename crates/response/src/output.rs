//! Outputs: receivers of the parts of a response.
//!
//! The [`Writer`](crate::writer::Writer) emits the parts of a response one after the other. A
//! [`Sink`](crate::Sink) serializes them to JSON; a [`Tape`](crate::Tape) stores them unserialized,
//! for a reader in the same process. The writer is monomorphized for each, so that no value costs a
//! dispatch.

mod json;
pub mod tape;

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::memory::MemoryReservation;
use crate::shape::ShapeField;
use crate::sink::{AlreadySent, Full};

/// The range of a list's element in the written parts of the response.
pub type Span = (usize, usize);

/// Receives the parts of one response.
pub trait Output: Clone + Debug + Send + Sized + 'static {
    /// A position in the response.
    type Mark: Copy + Debug + Default + Ord;
    /// The response.
    type Data: Debug + Send + 'static;

    /// The current position.
    fn mark(&self) -> Self::Mark;

    /// Discards everything from the mark on; what was sent stays sent.
    fn roll_back(&mut self, mark: Self::Mark) -> Result<(), AlreadySent>;

    /// Appends a copy of the value between two marks; `false` if a part of it is gone.
    fn repeat(&mut self, value: (Self::Mark, Self::Mark)) -> bool;

    /// Checks the budget of the response so far. With `is_final`, what is written will not be
    /// rolled back, and may be sent.
    fn check_budget(&mut self, is_final: bool) -> Result<(), Full>;

    /// Limits the work: refuses to continue after so many bytes; `None` removes the limit.
    fn limit_work(&mut self, bytes: Option<u64>);

    /// Refuses to continue soon after the flag is set.
    fn watch(&mut self, abandoned: Arc<AtomicBool>);

    /// True if there is room for a text of so many bytes.
    fn has_room(&self, bytes: usize) -> bool;

    /// Makes room for so many bytes of one text.
    fn reserve(&mut self, bytes: usize) -> Result<(), Full>;

    /// Makes room for sorting `elements` written since `start`.
    fn reserve_sorted(&mut self, start: usize, elements: usize) -> Result<(), Full>;

    /// True if a part of the response was sent.
    fn has_sent(&self) -> bool;

    /// The maximum length of the response as JSON in bytes.
    fn budget(&self) -> u64;

    /// A new reservation of the same memory budget, for data that is read before it is written.
    fn another_held(&self) -> MemoryReservation;

    /// The response, with its memory reservation.
    fn into_parts(self) -> (Self::Data, MemoryReservation);

    fn begin_object(&mut self);

    /// Begins the first field of an object, before its value; `number` is the index of the field in
    /// the shape.
    fn first_key(&mut self, field: &ShapeField, number: u32);

    /// The same of another field.
    fn next_key(&mut self, field: &ShapeField, number: u32);

    fn end_object(&mut self);

    fn begin_list(&mut self);

    /// Begins an element of a list, other than the first.
    fn next_element(&mut self);

    fn end_list(&mut self);

    fn null(&mut self);

    /// The buffer to which the JSON of a leaf, or of a whole value as one text, is appended.
    /// [`Output::end_text`] ends the value, or it is rolled back.
    fn text(&mut self) -> &mut Vec<u8>;

    /// Ends the value that was appended from `start` on.
    fn end_text(&mut self, start: usize);

    /// Begins a list whose elements are written in another order; returns its start.
    fn begin_sorted(&mut self) -> usize;

    /// Begins an element of such a list; returns its start.
    fn begin_sorted_element(&mut self) -> usize;

    /// The end of an element of such a list.
    fn end_sorted_element(&self) -> usize;

    /// Sorts the elements, with null for missing ones. Returns true if they moved.
    fn end_sorted(&mut self, start: usize, elements: &[Option<Span>]) -> bool;
}
