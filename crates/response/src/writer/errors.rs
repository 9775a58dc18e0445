//! The errors of a response, which are a part of it: they count for its budget and its memory.

use std::sync::Arc;

use super::{Failure, Halt, PathItem, Segment, Stopped, WriteError, Writer};
use crate::output::Output;
use crate::shape::{NodeId, NotRead};
use crate::sink::TooLarge;

/// The estimated size of an error in bytes, beside its path.
const ERROR_BYTES: usize = 256;

/// Errors of up to so many bytes are reported in a response of any budget: an error takes more
/// memory than its JSON, so that a few of them would fail a short response within its budget.
const FREE_BYTES: u64 = 16 << 10;

/// Copies of an error while the response is completed: as recorded, as reported, and as JSON.
const ERROR_COPIES: u64 = 3;

impl<E, O: Output> Writer<'_, E, O> {
    pub(super) fn take_failed(&mut self, place: usize) -> Option<E> {
        let index = self.failed.iter().position(|(field, _)| *field == place)?;
        Some(self.failed.swap_remove(index).1)
    }

    /// Records at the current position that a node was not read, unless that was reported.
    pub(super) fn fail_once(&mut self, node: NodeId, why: &Arc<NotRead>) -> Halt {
        if !self.reported.insert(node) {
            return Halt::Propagate;
        }
        self.fail(Failure::NotRead(Arc::clone(why)))
    }

    /// Records an error at the current position.
    #[cold]
    pub(super) fn fail(&mut self, failure: Failure<E>) -> Halt {
        let path = self.path.iter().map(|item| match item {
            PathItem::Field(field) => {
                Segment::Name(self.shape.fields[*field as usize].name.clone())
            }
            PathItem::Index(index) => Segment::Index(*index),
        });
        let path = path.collect();
        let field = self.path.iter().rev().find_map(|item| match item {
            PathItem::Field(field) => self.shape.fields.get(*field as usize),
            PathItem::Index(_) => None,
        });
        let location = field.and_then(|field| field.location);
        let error = WriteError { path, location, failure };
        // Further levels could change because of the error.
        if self.output.has_sent() && matches!(error.failure, Failure::Source(_)) {
            return self.stop(Stopped::Broken(Some(error)));
        }
        let WriteError { path, location, failure } = error;
        match failure {
            Failure::Source(failure) if self.ends_all.is_some_and(|ends| ends(&failure)) => {
                self.stop(Stopped::Ended(failure))
            }
            failure => {
                if let Err(full) = self.reserve_error(&path) {
                    return self.full(full.into());
                }
                self.errors.push(WriteError { path, location, failure });
                Halt::Propagate
            }
        }
    }

    /// Counts an error as a part of the answer, before it is kept.
    fn reserve_error(&mut self, path: &[Segment]) -> Result<(), TooLarge> {
        let segment = |segment: &Segment| match segment {
            Segment::Name(name) => name.len(),
            Segment::Index(_) => 0,
        };
        let names: usize = path.iter().map(segment).sum();
        let bytes = ERROR_BYTES + names + size_of_val(path);
        self.errors_bytes += bytes as u64;
        let budget = self.output.budget();
        if self.errors_bytes > budget.max(FREE_BYTES) {
            return Err(TooLarge::Answer { budget });
        }
        let held = self.errors_held.get_or_insert_with(|| self.output.another_held());
        Ok(held.grow_to(self.errors_bytes.saturating_mul(ERROR_COPIES))?)
    }
}
