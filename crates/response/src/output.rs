//! What answers are written into.
//!
//! The [`Writer`](crate::writer::Writer) says the parts of an answer one after the other. A
//! [`Sink`](crate::Sink) makes JSON of them, for who reads bytes; a [`Tape`](crate::Tape) keeps them
//! as they are, for who reads them in the same process. The writer is compiled once for each, so
//! that neither asks at any value which of the two it is.

mod json;
pub mod tape;

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::memory::Held;
use crate::shape::ShapeField;
use crate::sink::{AlreadySent, Full};

/// Where an element of a list stands among the parts of an answer that were written.
pub type Span = (usize, usize);

/// Takes the parts of one answer.
pub trait Output: Clone + Debug + Send + Sized + 'static {
    /// A place in the answer.
    type Mark: Copy + Debug + Default + Ord;
    /// The answer.
    type Data: Debug + Send + 'static;

    /// The place of what comes next.
    fn mark(&self) -> Self::Mark;

    /// Takes back everything from the mark on; what was sent stays sent.
    fn roll_back(&mut self, mark: Self::Mark) -> Result<(), AlreadySent>;

    /// Appends once more the value that stands between two marks; `false` if a part of it is gone.
    fn repeat(&mut self, value: (Self::Mark, Self::Mark)) -> bool;

    /// Whether the answer keeps to its budget so far. What `is_final` will not be taken back, and
    /// may be sent.
    fn check_budget(&mut self, is_final: bool) -> Result<(), Full>;

    /// Writes at most so many bytes more and then refuses to go on; without a number it goes on.
    fn limit_work(&mut self, bytes: Option<u64>);

    /// Refuses to go on soon after the flag is set.
    fn watch(&mut self, abandoned: Arc<AtomicBool>);

    /// Whether there is room for a text of so many bytes.
    fn has_room(&self, bytes: usize) -> bool;

    /// Makes room for so many bytes of one text.
    fn reserve(&mut self, bytes: usize) -> Result<(), Full>;

    /// Makes room for sorting `elements` that are written since `start`.
    fn reserve_sorted(&mut self, start: usize, elements: usize) -> Result<(), Full>;

    /// Whether a part of the answer is on its way.
    fn has_sent(&self) -> bool;

    /// How many bytes the answer may have as JSON.
    fn budget(&self) -> u64;

    /// The memory that it holds some of, for what is read before it is written.
    fn another_held(&self) -> Held;

    /// The answer, with the memory that it holds.
    fn into_parts(self) -> (Self::Data, Held);

    fn begin_object(&mut self);

    /// The name of the first field of an object, whose value comes next; `number` is the place of
    /// the field among all of the shape.
    fn first_key(&mut self, field: &ShapeField, number: u32);

    /// The same of another field.
    fn next_key(&mut self, field: &ShapeField, number: u32);

    fn end_object(&mut self);

    fn begin_list(&mut self);

    /// Another element than the first comes next.
    fn next_element(&mut self);

    fn end_list(&mut self);

    fn null(&mut self);

    /// Where the JSON of a value is appended that has no parts of its own, or is one text with them.
    /// [`Output::end_text`] ends it, or it is taken back.
    fn text(&mut self) -> &mut Vec<u8>;

    /// What was appended from `start` on is a value.
    fn end_text(&mut self, start: usize);

    /// Begins a list whose elements come in another order than they stand in: where it begins.
    fn begin_sorted(&mut self) -> usize;

    /// An element of such a list comes next: where it begins.
    fn begin_sorted_element(&mut self) -> usize;

    /// Where an element of such a list ends.
    fn end_sorted_element(&self) -> usize;

    /// Puts the elements in their order, those that are not there as null. Whether they stand
    /// elsewhere than they were written.
    fn end_sorted(&mut self, start: usize, elements: &[Option<Span>]) -> bool;
}
