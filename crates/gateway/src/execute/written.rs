//! What stands in the answer and comes again: it is copied.

use response::Mark;
use rustc_hash::FxHashMap;

use super::arena::ObjectId;

/// Something that may be at several places of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Repeated {
    Object(ObjectId),
    /// By its first element: it has some.
    List(u32),
}

/// Where all of it stands that was written without an error.
#[derive(Debug, Default)]
pub(super) struct Written {
    ranges: FxHashMap<Repeated, (Mark, Mark)>,
    /// In the order of their ends.
    order: Vec<Repeated>,
}

impl Written {
    pub(super) fn find(&self, what: Repeated) -> Option<(Mark, Mark)> {
        self.ranges.get(&what).copied()
    }

    pub(super) fn remember(&mut self, what: Repeated, range: (Mark, Mark)) {
        self.ranges.insert(what, range);
        self.order.push(what);
    }

    /// Forgets what stands beyond a mark: it was taken back.
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
