//! Numbers of names, in the order in which they come.
//!
//! The first million names are in memory. All names are then in a hash table in a file, whose slots
//! have 128 bits of the name's hash; the newest names are cached.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use ahash::RandomState;

/// Names in memory before the file is made, and names in the cache afterwards.
const IN_MEMORY: usize = 1 << 20;

/// Bytes of a slot: the hash, and the number from 1.
const SLOT: usize = 24;

/// Slots that are read at once.
const SLOTS_READ: usize = 16;

/// Numbers of names.
#[derive(Debug)]
pub struct Names {
    hashers: [RandomState; 2],
    folder: PathBuf,
    next: u64,
    memory: HashMap<u128, u64, RandomState>,
    table: Option<Table>,
    limit: usize,
}

/// A hash table in a file, with a cache of the names that were found last.
#[derive(Debug)]
struct Table {
    file: File,
    slots: u64,
    cache: Vec<(u128, u64)>,
}

impl Names {
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        let hashers = [RandomState::new(), RandomState::new()];
        let memory = HashMap::with_hasher(RandomState::new());
        Self { hashers, folder: folder.into(), next: 0, memory, table: None, limit: IN_MEMORY }
    }

    /// The number of names.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.next
    }

    /// The number of a name, from 0: the next one for a new name. Names of different spaces differ.
    pub fn number(&mut self, space: u32, name: &[u8]) -> io::Result<u64> {
        let [high, low] = self.hashers.each_ref().map(|hasher| hasher.hash_one((space, name)));
        let hash = (u128::from(high) << 64 | u128::from(low)).max(1);
        if let Some(table) = &mut self.table {
            let number = table.find_or_insert(hash, self.next)?;
            if number == self.next {
                self.next += 1;
                if self.next * 4 > table.slots * 3 {
                    self.grow()?;
                }
            }
            return Ok(number);
        }
        let next = self.next;
        let number = *self.memory.entry(hash).or_insert(next);
        if number == next {
            self.next += 1;
            if self.memory.len() > self.limit {
                self.spill()?;
            }
        }
        Ok(number)
    }

    /// Moves the names from memory into a file.
    fn spill(&mut self) -> io::Result<()> {
        let slots = (self.limit as u64 * 4).next_power_of_two();
        let mut sorted: Vec<(u128, u64)> = self.memory.drain().collect();
        self.memory.shrink_to_fit();
        sorted.sort_unstable();
        let mut table = Table::create(&self.folder.join("names-0.table"), slots, self.limit)?;
        for (hash, number) in sorted {
            table.find_or_insert(hash, number)?;
        }
        self.table = Some(table);
        Ok(())
    }

    /// Moves the names into a file with four times the slots.
    fn grow(&mut self) -> io::Result<()> {
        let Some(mut old) = self.table.take() else { return Ok(()) };
        let slots = old.slots * 4;
        let path = self.folder.join(format!("names-{slots}.table"));
        let mut table = Table::create(&path, slots, self.limit)?;
        let mut reader = io::BufReader::with_capacity(1 << 20, &mut old.file);
        reader.seek(SeekFrom::Start(0))?;
        let mut slot = [0; SLOT];
        for _ in 0..old.slots {
            reader.read_exact(&mut slot)?;
            if let Some((hash, number)) = read_slot(&slot) {
                table.find_or_insert(hash, number)?;
            }
        }
        self.table = Some(table);
        Ok(())
    }
}

impl Table {
    /// A table without names. The file has no name any more where the system allows it.
    fn create(path: &Path, slots: u64, cached: usize) -> io::Result<Self> {
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(true).open(path)?;
        file.set_len(slots * SLOT as u64)?;
        drop(std::fs::remove_file(path));
        Ok(Self { file, slots, cache: vec![(0, 0); cached.next_power_of_two()] })
    }

    /// The number of a name; if it is new, this one.
    fn find_or_insert(&mut self, hash: u128, new: u64) -> io::Result<u64> {
        let cached = usize::try_from(hash % self.cache.len() as u128).unwrap_or_default();
        if self.cache[cached].0 == hash {
            return Ok(self.cache[cached].1);
        }
        // By its first bits, so that names in the order of their hashes are in sequence.
        let shift = 128 - self.slots.trailing_zeros();
        let mut place = u64::try_from(hash >> shift).unwrap_or_default();
        let mut buffer = [0; SLOT * SLOTS_READ];
        loop {
            let read = (self.slots - place).min(SLOTS_READ as u64);
            let part = &mut buffer[..usize::try_from(read).unwrap_or_default() * SLOT];
            self.file.seek(SeekFrom::Start(place * SLOT as u64))?;
            self.file.read_exact(part)?;
            for (offset, slot) in part.chunks_exact(SLOT).enumerate() {
                let number = match read_slot(slot) {
                    Some((found, number)) if found == hash => number,
                    Some(_) => continue,
                    None => {
                        let mut written = [0; SLOT];
                        written[..16].copy_from_slice(&hash.to_le_bytes());
                        written[16..].copy_from_slice(&(new + 1).to_le_bytes());
                        let at = (place + offset as u64) * SLOT as u64;
                        self.file.seek(SeekFrom::Start(at))?;
                        self.file.write_all(&written)?;
                        new
                    }
                };
                self.cache[cached] = (hash, number);
                return Ok(number);
            }
            place = (place + read) % self.slots;
        }
    }
}

/// The name in a slot, and its number.
fn read_slot(slot: &[u8]) -> Option<(u128, u64)> {
    let (hash, rest) = slot.split_first_chunk()?;
    let number = u64::from_le_bytes(*rest.first_chunk()?);
    Some((u128::from_le_bytes(*hash), number.checked_sub(1)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_numbers_beyond_memory() {
        let folder = tempfile::tempdir().unwrap();
        let mut names = Names { limit: 10, ..Names::new(folder.path()) };
        for round in 0..2 {
            for number in 0..2_000_u64 {
                let found = names.number(0, format!("n{number}").as_bytes()).unwrap();
                assert_eq!(found, number, "{round}");
            }
        }
        assert_eq!(names.number(1, b"n5").unwrap(), 2_000);
        assert_eq!(names.count(), 2_001);
    }
}
