//! A response as JSON bytes.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Output, Span};
use crate::append::append;
use crate::memory::MemoryReservation;
use crate::shape::ShapeField;
use crate::sink::{AlreadySent, Full, Mark, Sink};

impl Output for Sink {
    type Mark = Mark;
    type Data = Vec<u8>;

    #[inline]
    fn mark(&self) -> Mark {
        Self::mark(self)
    }

    #[inline]
    fn roll_back(&mut self, mark: Mark) -> Result<(), AlreadySent> {
        Self::roll_back(self, mark)
    }

    #[inline]
    fn repeat(&mut self, value: (Mark, Mark)) -> bool {
        Self::repeat(self, value)
    }

    #[inline]
    fn check_budget(&mut self, is_final: bool) -> Result<(), Full> {
        Self::check_budget(self, is_final)
    }

    fn limit_work(&mut self, bytes: Option<u64>) {
        Self::limit_work(self, bytes);
    }

    fn watch(&mut self, abandoned: Arc<AtomicBool>) {
        Self::watch(self, abandoned);
    }

    #[inline]
    fn has_room(&self, bytes: usize) -> bool {
        Self::has_room(self, bytes)
    }

    fn reserve(&mut self, bytes: usize) -> Result<(), Full> {
        Self::reserve(self, bytes)
    }

    /// The elements are copied out of the response, and back with a `null` for each missing one.
    fn reserve_sorted(&mut self, start: usize, elements: usize) -> Result<(), Full> {
        let written = self.written().len().saturating_sub(start);
        Self::reserve(self, 5 * elements + 2)?;
        Self::reserve_copy(self, written)
    }

    #[inline]
    fn has_sent(&self) -> bool {
        Self::has_sent(self)
    }

    #[inline]
    fn budget(&self) -> u64 {
        Self::budget(self)
    }

    #[inline]
    fn another_held(&self) -> MemoryReservation {
        Self::another_held(self)
    }

    #[inline]
    fn into_parts(self) -> (Vec<u8>, MemoryReservation) {
        Self::into_parts(self)
    }

    #[inline]
    fn begin_object(&mut self) {
        self.bytes().push(b'{');
    }

    #[inline]
    fn first_key(&mut self, field: &ShapeField, _: u32) {
        append(field.key(), self.bytes());
    }

    #[inline]
    fn next_key(&mut self, field: &ShapeField, _: u32) {
        append(field.next_key(), self.bytes());
    }

    #[inline]
    fn end_object(&mut self) {
        self.bytes().push(b'}');
    }

    #[inline]
    fn begin_list(&mut self) {
        self.bytes().push(b'[');
    }

    #[inline]
    fn next_element(&mut self) {
        self.bytes().push(b',');
    }

    #[inline]
    fn end_list(&mut self) {
        self.bytes().push(b']');
    }

    #[inline]
    fn null(&mut self) {
        self.bytes().extend_from_slice(b"null");
    }

    #[inline]
    fn text(&mut self) -> &mut Vec<u8> {
        self.bytes()
    }

    #[inline]
    fn end_text(&mut self, _: usize) {}

    fn begin_sorted(&mut self) -> usize {
        self.bytes().len()
    }

    /// The comma before the first element becomes the bracket, if the elements stay where they are.
    fn begin_sorted_element(&mut self) -> usize {
        let bytes = self.bytes();
        bytes.push(b',');
        bytes.len()
    }

    fn end_sorted_element(&self) -> usize {
        self.written().len()
    }

    fn end_sorted(&mut self, start: usize, elements: &[Option<Span>]) -> bool {
        let bytes = self.bytes();
        let is_in_order = is_in_order(elements, start);
        if is_in_order {
            bytes[start] = b'[';
        } else {
            put_in_order(bytes, start, elements);
        }
        bytes.push(b']');
        !is_in_order
    }
}

/// True if each element directly follows the one before it, with a comma between.
fn is_in_order(elements: &[Option<Span>], start: usize) -> bool {
    let mut end = start;
    !elements.is_empty()
        && elements.iter().all(|element| match element {
            Some((from, to)) if *from == end + 1 => {
                end = *to;
                true
            }
            Some(_) | None => false,
        })
}

/// Rewrites the elements in the order of the list.
fn put_in_order(bytes: &mut Vec<u8>, start: usize, elements: &[Option<Span>]) {
    let written = bytes.split_off(start);
    bytes.reserve(written.len() + 5 * elements.len());
    bytes.push(b'[');
    for (place, element) in elements.iter().enumerate() {
        if place > 0 {
            bytes.push(b',');
        }
        let element = element.and_then(|(from, to)| written.get(from - start..to - start));
        bytes.extend_from_slice(element.unwrap_or(b"null"));
    }
}
