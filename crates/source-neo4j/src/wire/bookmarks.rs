//! Bookmarks: marks of committed transactions that a later one has to see (causal consistency).

use std::sync::Arc;

/// The bookmarks that a transaction is given, so that it does not begin on a server of a cluster
/// before that has earlier writes of another. Copies are shared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bookmarks(Option<Arc<[Box<str>]>>);

impl Bookmarks {
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.as_deref().unwrap_or_default().iter().map(|bookmark| &**bookmark)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The bookmarks after a transaction that was given `sent` and returned `new`: its own ones are
    /// replaced, and those that other transactions have added meanwhile are kept.
    pub(super) fn after(&self, sent: &Bookmarks, new: &str) -> Bookmarks {
        let left =
            self.iter().filter(|known| *known != new && sent.iter().all(|seen| seen != *known));
        Bookmarks(Some(left.chain([new]).map(Box::from).collect()))
    }
}

impl<'b> FromIterator<&'b str> for Bookmarks {
    fn from_iter<I: IntoIterator<Item = &'b str>>(bookmarks: I) -> Bookmarks {
        let bookmarks: Arc<[Box<str>]> = bookmarks.into_iter().map(Box::from).collect();
        Bookmarks(Some(bookmarks).filter(|bookmarks| !bookmarks.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_is_replaced_by_what_was_left() {
        let none = Bookmarks::default();
        let first = none.after(&none, "a");
        // Two that ran at once.
        let second = first.after(&first, "b");
        let third = second.after(&first, "c");
        assert_eq!(third, ["b", "c"].into_iter().collect());
        assert_eq!(third.after(&third, "d"), ["d"].into_iter().collect());
        assert_eq!(third.after(&none, "c"), third);
        assert!(none.is_empty() && !first.is_empty());
    }
}
