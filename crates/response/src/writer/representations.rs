//! Lists whose elements come from several sets of rows: federation's entities, each at the index of
//! its representation.
//!
//! A set of rows is open one at a time, so the elements are written in the order of the sets, and
//! sorted into the order of the list at the end. Where only one set has any, they are in that order
//! already.

use super::{Halt, Writer};
use crate::cursor::{ColumnRef, Cursor, NoRow, Value};
use crate::output::{Output, Span};
use crate::shape::Branch;
use crate::writer::{Failure, PathItem, Segment};

/// The keys of the representations of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sorted {
    pub elements: Box<[Element]>,
}

/// One representation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// A representation with the key of this number.
    Of { key: u16 },
    /// An invalid representation, with the reason.
    Refused(Box<str>),
}

impl<E, O: Output> Writer<'_, E, O> {
    pub(super) fn write_representations<C: Cursor<Error = E>>(
        &mut self,
        sorted: &Sorted,
        branches: &[Branch],
        cursor: &mut C,
    ) -> Result<bool, Halt> {
        // None of it is final before all of it is written.
        let is_within = std::mem::replace(&mut self.is_within, true);
        let written = self.write_sorted(sorted, branches, cursor);
        self.is_within = is_within;
        written.map(|()| true)
    }

    fn write_sorted<C: Cursor<Error = E>>(
        &mut self,
        sorted: &Sorted,
        branches: &[Branch],
        cursor: &mut C,
    ) -> Result<(), Halt> {
        let (list, known_errors) = (self.output.mark(), self.errors.len());
        let start = self.output.begin_sorted();
        let mut spans: Vec<Option<Span>> = vec![None; sorted.elements.len()];
        for branch in branches {
            let own = sorted.elements.iter().enumerate();
            let own = own.filter(|(_, element)| **element == Element::Of { key: branch.key });
            let places: Vec<usize> = own.map(|(place, _)| place).collect();
            if !places.is_empty() {
                self.write_branch(branch, &places, &mut spans, cursor)?;
            }
        }
        let without_branch = |key: u16| branches.iter().all(|branch| branch.key != key);
        for (place, element) in sorted.elements.iter().enumerate() {
            match element {
                // It has no selected fields.
                Element::Of { key } if without_branch(*key) => {
                    self.write_nothing(&mut spans, place);
                }
                Element::Of { .. } => {}
                Element::Refused(message) => {
                    self.path.push(PathItem::Index(place as u64));
                    // The list has no fewer elements for it, so writing continues.
                    let _: Halt = self.fail(Failure::Refused(message.clone()));
                    self.path.pop();
                }
            }
        }
        let depth = self.path.len();
        self.errors[known_errors..].sort_by_key(|error| match error.path.get(depth) {
            Some(Segment::Index(place)) => *place,
            Some(Segment::Name(_)) | None => 0,
        });
        let reserved = self.output.reserve_sorted(start, sorted.elements.len());
        reserved.map_err(|full| self.full(full))?;
        if self.output.end_sorted(start, &spans) {
            // Cached lists within it have moved.
            self.repeated_lists.roll_back(list);
        }
        self.check_budget(false)
    }

    /// Writes the elements that are found by one key, or those of a type without selected data.
    fn write_branch<C: Cursor<Error = E>>(
        &mut self,
        branch: &Branch,
        places: &[usize],
        spans: &mut [Option<Span>],
        cursor: &mut C,
    ) -> Result<(), Halt> {
        let level = branch.rows.and_then(|rows| self.layout.level(rows.rows));
        let (Some(level), Some(rows)) = (level, branch.rows) else {
            for place in places {
                self.write_element(branch, *place, spans, &mut NoRow::default())?;
            }
            return Ok(());
        };
        let mut child = cursor.open(level).map_err(|error| self.fail(Failure::Source(error)))?;
        let ColumnRef::Column(column) = self.layout.place(rows.ordinal) else { return Ok(()) };
        loop {
            match child.next() {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(error) => return Err(self.fail(Failure::Source(error))),
            }
            let number = match child.value(column) {
                Value::Integer(number) => Some(number),
                Value::Text(text) => str::from_utf8(text).ok().and_then(|text| text.parse().ok()),
                _ => None,
            };
            let number = number.and_then(|number| usize::try_from(number).ok());
            let place = number.and_then(|number| places.get(number.checked_sub(1)?));
            // A key that is not enforced may find several rows: the first one counts.
            if let Some(place) = place.filter(|place| spans.get(**place) == Some(&None)) {
                self.write_element(branch, *place, spans, &mut child)?;
            }
        }
    }

    fn write_element<C: Cursor<Error = E>>(
        &mut self,
        branch: &Branch,
        place: usize,
        spans: &mut [Option<Span>],
        cursor: &mut C,
    ) -> Result<(), Halt> {
        let start = self.output.begin_sorted_element();
        self.path.push(PathItem::Index(place as u64));
        let mark = self.output.mark();
        let written = self.write_node(branch.node, cursor);
        self.settle(written, mark, true)?;
        self.path.pop();
        if let Some(span) = spans.get_mut(place) {
            *span = Some((start, self.output.end_sorted_element()));
        }
        self.check_budget(false)
    }

    /// An object without selected data.
    fn write_nothing(&mut self, spans: &mut [Option<Span>], place: usize) {
        let start = self.output.begin_sorted_element();
        self.output.begin_object();
        self.output.end_object();
        if let Some(span) = spans.get_mut(place) {
            *span = Some((start, self.output.end_sorted_element()));
        }
    }
}
