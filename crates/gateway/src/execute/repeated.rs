//! Values that occur several times in the response: they are copied as text.

use response::Mark;
use rustc_hash::FxHashMap;

use super::arena::ObjectId;

/// A value that may be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Repeated {
    Object(ObjectId),
    /// A list by its first element; it is not empty.
    List(u32),
}

/// Ranges of the response with values that were written without an error.
#[derive(Debug, Default)]
pub(super) struct WrittenRanges {
    ranges: FxHashMap<Repeated, (Mark, Mark)>,
    /// In the order of their ends.
    order: Vec<Repeated>,
}

impl WrittenRanges {
    pub(super) fn find(&self, value: Repeated) -> Option<(Mark, Mark)> {
        self.ranges.get(&value).copied()
    }

    pub(super) fn remember(&mut self, value: Repeated, range: (Mark, Mark)) {
        self.ranges.insert(value, range);
        self.order.push(value);
    }

    /// Removes ranges behind a mark, which were rolled back.
    pub(super) fn roll_back(&mut self, mark: Mark) {
        while let Some(last) = self.order.last() {
            match self.ranges.get(last) {
                Some((_, end)) if *end <= mark => return,
                Some(_) => drop(self.ranges.remove(last)),
                None => {}
            }
            self.order.pop();
        }
    }
}
