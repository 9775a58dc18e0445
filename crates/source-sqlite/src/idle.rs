//! The statement cache of a connection: its idle prepared statements.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::statement::Prepared;

/// Number of texts with cached statements.
const TEXTS: usize = 256;

/// Most cached statements of one text: a request that selects the same under several names runs it
/// several times at once.
const ALIKE: usize = 4;

/// Most bytes of idle statements. The least recently used texts are evicted first; a statement that
/// is larger by itself is prepared each time.
const MOST_BYTES: usize = 8 << 20;

/// The statements of a connection.
#[derive(Debug, Default)]
pub(super) struct Idle(RefCell<Kept>);

/// The place of a statement in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    index: usize,
    /// Differs if the place was given to another text.
    tenant: u64,
}

#[derive(Debug, Default)]
struct Kept {
    indexes: FxHashMap<Arc<str>, usize>,
    slots: Vec<Slot>,
    /// Counter of look-ups.
    lookups: u64,
    /// Bytes of the slots.
    bytes: usize,
}

/// The statements of one text.
#[derive(Debug)]
struct Slot {
    text: Arc<str>,
    tenant: u64,
    idle: Vec<Prepared>,
    /// Number of the last look-up.
    last_lookup: u64,
}

/// The tenant of an evicted slot, which no place has.
const NO_TENANT: u64 = u64::MAX;

impl Idle {
    /// A statement of this text, if there is one, and where to give it back.
    pub(super) fn take(&self, text: &str) -> (Place, Option<Prepared>) {
        let kept = &mut *self.0.borrow_mut();
        kept.lookups += 1;
        let lookup = kept.lookups;
        let index = match kept.indexes.get(text) {
            Some(index) => *index,
            None => kept.make_place(text),
        };
        match kept.slots.get_mut(index) {
            Some(slot) => {
                slot.last_lookup = lookup;
                let (tenant, statement) = (slot.tenant, slot.idle.pop());
                let bytes = statement.as_ref().map_or(0, Prepared::bytes);
                kept.bytes = kept.bytes.saturating_sub(bytes);
                (Place { index, tenant }, statement)
            }
            None => (Place { index, tenant: 0 }, None),
        }
    }

    /// Keeps a statement, if its place is still there.
    pub(super) fn give_back(&self, place: Place, statement: Prepared) {
        let kept = &mut *self.0.borrow_mut();
        if let Some(slot) = kept.slots.get_mut(place.index)
            && slot.tenant == place.tenant
            && slot.idle.len() < ALIKE
        {
            let bytes = statement.bytes();
            slot.idle.push(statement);
            kept.bytes += bytes;
            kept.keep_within(MOST_BYTES);
        }
    }
}

impl Slot {
    fn bytes(&self) -> usize {
        self.text.len() + self.idle.iter().map(Prepared::bytes).sum::<usize>()
    }
}

impl Kept {
    /// Evicts the least recently used texts, until the others are within the limit.
    fn keep_within(&mut self, most: usize) {
        while self.bytes > most {
            let kept = self.slots.iter().enumerate().filter(|(_, slot)| slot.tenant != NO_TENANT);
            let Some((index, _)) = kept.min_by_key(|(_, slot)| slot.last_lookup) else { return };
            let nothing =
                Slot { text: "".into(), tenant: NO_TENANT, idle: Vec::new(), last_lookup: 0 };
            self.replace(index, nothing);
        }
    }

    /// Puts another slot into the place of one.
    fn replace(&mut self, index: usize, slot: Slot) {
        let before = std::mem::replace(&mut self.slots[index], slot);
        self.bytes = self.bytes.saturating_sub(before.bytes());
        if before.tenant != NO_TENANT {
            self.indexes.remove(&before.text);
        }
    }

    /// A place for a new text; if necessary, that of the least recently used one.
    fn make_place(&mut self, text: &str) -> usize {
        let text: Arc<str> = text.into();
        let tenant = self.lookups;
        let slot =
            Slot { text: Arc::clone(&text), tenant, idle: Vec::new(), last_lookup: self.lookups };
        self.bytes += slot.bytes();
        let index = if self.slots.len() < TEXTS {
            self.slots.push(slot);
            self.slots.len() - 1
        } else {
            let least = self.slots.iter().enumerate().min_by_key(|(_, slot)| slot.last_lookup);
            let index = least.map_or(0, |(index, _)| index);
            self.replace(index, slot);
            index
        };
        self.indexes.insert(text, index);
        index
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use rusqlite::ffi;

    use super::*;
    use crate::connection::{Cache, OpenFile};
    use crate::statement::Statement;

    fn idle(file: &OpenFile) -> usize {
        file.idle.0.borrow().slots.iter().map(|slot| slot.idle.len()).sum()
    }

    #[test]
    fn statements_come_back_and_the_longest_unused_goes() {
        let file = OpenFile::open(Path::new(":memory:"), Duration::ZERO, Cache::Default).unwrap();
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
    fn large_statements_go_before_they_take_too_much() {
        let file = OpenFile::open(Path::new(":memory:"), Duration::ZERO, Cache::Default).unwrap();
        let used = || {
            let (mut used, mut most) = (0, 0);
            // SAFETY: the connection is open.
            #[expect(unsafe_code, reason = "SQLite's own count of what its statements take")]
            unsafe {
                let (handle, what) = (file.connection.handle(), ffi::SQLITE_DBSTATUS_STMT_USED);
                ffi::sqlite3_db_status(handle, what, &raw mut used, &raw mut most, 0);
            }
            usize::try_from(used).unwrap()
        };
        for number in 0..TEXTS {
            let columns: Vec<String> =
                (0..1_500).map(|column| format!("{number}+{column}")).collect();
            drop(Statement::of(&file, &format!("SELECT {}", columns.join(", "))).unwrap());
            let kept = file.idle.0.borrow();
            let statements = kept.slots.iter().flat_map(|slot| &slot.idle);
            let counted: usize = statements.map(Prepared::bytes).sum();
            assert!(kept.bytes <= MOST_BYTES, "{}", kept.bytes);
            assert!(
                (used() * 4 / 5..=used() * 6 / 5).contains(&counted),
                "{counted} of {}",
                used()
            );
        }
        // The last ones are there, and there were more.
        assert!((2..TEXTS).contains(&idle(&file)), "{}", idle(&file));
        drop(Statement::of(&file, "SELECT 1").unwrap());
        assert!(file.idle.0.borrow().indexes.contains_key("SELECT 1"));
    }

    #[test]
    fn a_few_of_the_same_text_are_kept() {
        let file = OpenFile::open(Path::new(":memory:"), Duration::ZERO, Cache::Default).unwrap();
        let many: Vec<_> = (0..6).map(|_| Statement::of(&file, "SELECT 1").unwrap()).collect();
        assert_eq!(idle(&file), 0);
        drop(many);
        assert_eq!(idle(&file), ALIKE);
    }

    #[test]
    fn a_statement_whose_place_went_to_another_is_not_kept() {
        let file = OpenFile::open(Path::new(":memory:"), Duration::ZERO, Cache::Default).unwrap();
        let first = Statement::of(&file, "SELECT 'first'").unwrap();
        for number in 0..TEXTS {
            drop(Statement::of(&file, &format!("SELECT {number}")).unwrap());
        }
        drop(first);
        assert_eq!(idle(&file), TEXTS);
    }
}
