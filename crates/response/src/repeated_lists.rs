//! Deduplication of lists within a response: a repeated list is copied.
//!
//! Rows that share a to-one row share everything below it: the albums of an artist have one artist
//! with one list of albums. The last list of each level is cached, as rows that share something are
//! mostly adjacent.

use crate::cursor::LevelId;
use crate::shape::NodeId;

/// The last list of each level, by its position in the output.
#[derive(Debug, Default)]
pub(crate) struct RepeatedLists<M> {
    /// By level.
    lists: Vec<Option<List<M>>>,
    /// No list ends beyond it.
    end: M,
}

/// A list in the response.
#[derive(Clone, Copy, Debug)]
struct List<M> {
    parent: u64,
    /// The node of its elements.
    item: NodeId,
    start: M,
    end: M,
}

impl<M: Copy + Ord> RepeatedLists<M> {
    /// The position of the same list, if it is the last one of its level.
    pub(crate) fn find(&self, level: LevelId, parent: u64, item: NodeId) -> Option<(M, M)> {
        let list = self.lists.get(usize::from(level.0)).copied().flatten()?;
        (list.parent == parent && list.item == item).then_some((list.start, list.end))
    }

    /// Caches a list that was written without an error.
    pub(crate) fn remember(
        &mut self,
        level: LevelId,
        parent: u64,
        item: NodeId,
        (start, end): (M, M),
    ) {
        let place = usize::from(level.0);
        if self.lists.len() <= place {
            self.lists.resize(place + 1, None);
        }
        self.lists[place] = Some(List { parent, item, start, end });
        self.end = self.end.max(end);
    }

    /// Drops lists beyond a mark, which were rolled back.
    pub(crate) fn roll_back(&mut self, mark: M) {
        if self.end > mark {
            self.end = mark;
            for list in &mut self.lists {
                list.take_if(|list| list.end > mark);
            }
        }
    }
}
