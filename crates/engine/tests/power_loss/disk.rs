//! The content of a disk after a power failure.

use std::collections::BTreeMap;

use crate::recording::{Operation, Role};

/// The part of a write that a disk does as a whole.
const SECTOR: usize = 512;

/// Part of the unsynced writes that a power failure keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Survival {
    Nothing,
    Everything,
    /// Half of their sectors, in no order, and half of the other operations.
    Sectors,
}

/// A file while the operations are repeated.
#[derive(Debug)]
struct File {
    role: Role,
    /// The content at the last sync.
    synced: Vec<u8>,
    /// The positions of the operations since then.
    pending: Vec<usize>,
    /// True if its name is synced.
    is_named: bool,
}

/// The files after a failure behind these operations.
pub(crate) fn after_failure(
    operations: &[Operation],
    survival: Survival,
    random: &mut Random,
) -> BTreeMap<String, Vec<u8>> {
    let mut files: BTreeMap<String, File> = BTreeMap::new();
    // Files that were removed, as they are if the removal does not survive.
    let mut removed: BTreeMap<String, File> = BTreeMap::new();
    for (position, operation) in operations.iter().enumerate() {
        match operation {
            Operation::Create { name, role } => {
                let (synced, pending) = (Vec::new(), Vec::new());
                let file = File { role: *role, synced, pending, is_named: false };
                removed.remove(name);
                files.insert(name.clone(), file);
            }
            Operation::Write { name, .. } | Operation::Truncate { name, .. } => {
                files.get_mut(name).unwrap().pending.push(position);
            }
            Operation::Sync { name } => {
                let file = files.get_mut(name).unwrap();
                for pending in file.pending.drain(..) {
                    apply(&mut file.synced, &operations[pending], |_| true);
                }
                // SQLite syncs the folder with the first sync of a log or a journal.
                if file.role == Role::Log && !file.is_named {
                    files.values_mut().for_each(|file| file.is_named = true);
                    removed.clear();
                }
            }
            Operation::Remove { name, syncs_folder } => {
                let file = files.remove(name).unwrap();
                match syncs_folder {
                    true => {
                        files.values_mut().for_each(|file| file.is_named = true);
                        removed.clear();
                    }
                    false => drop(removed.insert(name.clone(), file)),
                }
            }
        }
    }
    let mut left = BTreeMap::new();
    let removed = removed.into_iter().filter(|(_, file)| file.is_named);
    let is_back = |random: &mut Random| match survival {
        Survival::Nothing => true,
        Survival::Everything => false,
        Survival::Sectors => random.below(2) == 0,
    };
    for (name, file) in removed {
        if is_back(random) {
            left.insert(name, file.content(operations, survival, random));
        }
    }
    for (name, file) in files {
        if file.is_named || !is_back(random) {
            left.insert(name, file.content(operations, survival, random));
        }
    }
    left
}

impl File {
    fn content(self, operations: &[Operation], survival: Survival, random: &mut Random) -> Vec<u8> {
        let mut content = self.synced;
        for pending in self.pending {
            apply(&mut content, &operations[pending], |_| match survival {
                Survival::Nothing => false,
                Survival::Everything => true,
                Survival::Sectors => random.below(2) == 0,
            });
        }
        content
    }
}

/// Repeats an operation, as far as its sectors survive.
fn apply(content: &mut Vec<u8>, operation: &Operation, mut survives: impl FnMut(usize) -> bool) {
    match operation {
        Operation::Write { at, bytes, .. } => {
            let mut start = 0;
            while start < bytes.len() {
                let sector = (at + start) / SECTOR;
                let end = ((sector + 1) * SECTOR - at).min(bytes.len());
                if survives(sector) {
                    if content.len() < at + end {
                        content.resize(at + end, 0);
                    }
                    content[at + start..at + end].copy_from_slice(&bytes[start..end]);
                }
                start = end;
            }
        }
        Operation::Truncate { size, .. } => {
            if survives(0) {
                content.resize(*size, 0);
            }
        }
        Operation::Create { .. } | Operation::Sync { .. } | Operation::Remove { .. } => {}
    }
}

/// Random numbers that are the same in each run: <https://prng.di.unimi.it/splitmix64.c>.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}
