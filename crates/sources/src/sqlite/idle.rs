//! The prepared statements that a connection keeps while nobody runs them.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::statement::Prepared;

/// Of how many texts statements are kept.
const TEXTS: usize = 256;

/// How many statements of one text are kept: a request that asks for the same under several names
/// runs it several times at once.
const ALIKE: usize = 4;

/// The statements of a connection.
#[derive(Debug, Default)]
pub(super) struct Idle(RefCell<Kept>);

/// Where a statement is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    index: usize,
    /// Not what it was if the place went to another text.
    tenant: u64,
}

#[derive(Debug, Default)]
struct Kept {
    indexes: FxHashMap<Box<str>, usize>,
    slots: Vec<Slot>,
    /// How often a statement was asked for.
    asked: u64,
}

/// The statements of one text.
#[derive(Debug)]
struct Slot {
    text: Box<str>,
    tenant: u64,
    idle: Vec<Prepared>,
    /// When it was asked for the last time.
    asked: u64,
}

impl Idle {
    /// A statement of this text, if there is one, and where to give it back.
    pub(super) fn take(&self, text: &str) -> (Place, Option<Prepared>) {
        let mut kept = self.0.borrow_mut();
        kept.asked += 1;
        let asked = kept.asked;
        let index = match kept.indexes.get(text) {
            Some(index) => *index,
            None => kept.make_place(text),
        };
        match kept.slots.get_mut(index) {
            Some(slot) => {
                slot.asked = asked;
                (Place { index, tenant: slot.tenant }, slot.idle.pop())
            }
            None => (Place { index, tenant: 0 }, None),
        }
    }

    /// Keeps a statement, if its place is still there.
    pub(super) fn give_back(&self, place: Place, statement: Prepared) {
        let mut kept = self.0.borrow_mut();
        if let Some(slot) = kept.slots.get_mut(place.index)
            && slot.tenant == place.tenant
            && slot.idle.len() < ALIKE
        {
            slot.idle.push(statement);
        }
    }
}

impl Kept {
    /// A place for a text that has none: that of the text that nobody has asked for the longest.
    fn make_place(&mut self, text: &str) -> usize {
        let slot =
            Slot { text: text.into(), tenant: self.asked, idle: Vec::new(), asked: self.asked };
        let index = if self.slots.len() < TEXTS {
            self.slots.push(slot);
            self.slots.len() - 1
        } else {
            let least = self.slots.iter().enumerate().min_by_key(|(_, slot)| slot.asked);
            let index = least.map_or(0, |(index, _)| index);
            let before = std::mem::replace(&mut self.slots[index], slot);
            self.indexes.remove(&before.text);
            index
        };
        self.indexes.insert(text.into(), index);
        index
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::*;
    use crate::sqlite::connection::{Cache, OpenFile};
    use crate::sqlite::statement::Statement;

    fn idle(file: &OpenFile) -> usize {
        file.idle.0.borrow().slots.iter().map(|slot| slot.idle.len()).sum()
    }

    #[test]
    fn statements_come_back_and_the_longest_unused_goes() {
        let file = OpenFile::open(Path::new(":memory:"), Duration::ZERO, Cache::Usual).unwrap();
        let run = |number: usize| {
            let text = format!("SELECT {number}");
            drop(Statement::of(&file, &text).unwrap());
        };
        (0..TEXTS).for_each(run);
        assert_eq!(idle(&file), TEXTS);
        run(0);
        assert_eq!(idle(&file), TEXTS);
        run(TEXTS);
        assert_eq!(idle(&file), TEXTS);
        let kept = file.idle.0.borrow();
        assert!(kept.indexes.contains_key("SELECT 0") && !kept.indexes.contains_key("SELECT 1"));
    }

    #[test]
    fn a_few_of_the_same_text_are_kept() {
        let file = OpenFile::open(Path::new(":memory:"), Duration::ZERO, Cache::Usual).unwrap();
        let many: Vec<_> = (0..6).map(|_| Statement::of(&file, "SELECT 1").unwrap()).collect();
        assert_eq!(idle(&file), 0);
        drop(many);
        assert_eq!(idle(&file), ALIKE);
    }

    #[test]
    fn a_statement_whose_place_went_to_another_is_not_kept() {
        let file = OpenFile::open(Path::new(":memory:"), Duration::ZERO, Cache::Usual).unwrap();
        let first = Statement::of(&file, "SELECT 'first'").unwrap();
        for number in 0..TEXTS {
            drop(Statement::of(&file, &format!("SELECT {number}")).unwrap());
        }
        drop(first);
        assert_eq!(idle(&file), TEXTS);
    }
}
