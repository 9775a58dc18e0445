//! Numbers of names, in the order in which they come.
//!
//! The first seven million names are in memory, in 142 MiB: a name is 88 bits of its hash. All names
//! are then in a hash table in a file, which costs system calls for each name; the newest ones are
//! cached. A log has the hashes of all names in the order of their numbers, from which a killed
//! import reads them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use ahash::RandomState;

/// Names in memory before the file is made: as many as 2^23 buckets have.
const IN_MEMORY: usize = 7 << 20;

/// Names in the cache of the file.
const CACHED: usize = 1 << 20;

/// Bits of a number. The other ones of a value in memory are bits of the hash.
const NUMBER_BITS: u32 = 40;

/// Bytes of a slot: the hash, and the number from 1.
const SLOT: usize = 24;

/// Slots that are read at once.
const SLOTS_READ: usize = 16;

/// Slots between the wanted place of a name and its own, beyond which a table is not filled in
/// sequence.
const LONGEST_RUN: u64 = 1 << 10;

/// The file of the log.
const LOG: &str = "names.log";

/// Bytes of a name in the log.
const LOGGED: u64 = 16;

/// A text by whose hashes the hashers of a killed import are recognized.
const PROBE: &str = "thalweg";

/// The hashers of names, and the number of names in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedNames {
    pub seeds: Vec<u64>,
    pub probe: u64,
    pub count: u64,
}

/// The names of a killed import.
#[derive(Debug)]
pub enum ResumedNames {
    Names(Box<Names>),
    /// The log is missing, or does not have all of them.
    Incomplete,
    /// This program has other hashers.
    OtherHashers,
}

/// Numbers of names.
#[derive(Debug)]
pub struct Names {
    hashers: [RandomState; 2],
    seeds: [u64; 8],
    log: io::BufWriter<File>,
    folder: PathBuf,
    next: u64,
    /// By the first 64 bits of the hash: 24 further bits, and the number.
    memory: HashMap<u64, u64, RandomState>,
    /// Names whose first bits another name has.
    others: HashMap<u128, u64, RandomState>,
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
    pub fn new(folder: &Path) -> io::Result<Self> {
        let random = RandomState::new();
        let seeds = std::array::from_fn(|place| random.hash_one(place));
        Self::with_log(folder, seeds, File::create(folder.join(LOG))?)
    }

    /// Reads the names that were saved.
    pub fn resume(folder: &Path, saved: &SavedNames) -> io::Result<ResumedNames> {
        let Ok(seeds) = <[u64; 8]>::try_from(&*saved.seeds) else {
            return Ok(ResumedNames::OtherHashers);
        };
        let log = match File::options().read(true).write(true).open(folder.join(LOG)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(ResumedNames::Incomplete);
            }
            log => log?,
        };
        let length = saved.count.saturating_mul(LOGGED);
        if log.metadata()?.len() < length {
            return Ok(ResumedNames::Incomplete);
        }
        log.set_len(length)?;
        let mut reader = io::BufReader::with_capacity(1 << 20, log.try_clone()?);
        let mut names = Self::with_log(folder, seeds, log)?;
        if names.probe() != saved.probe {
            return Ok(ResumedNames::OtherHashers);
        }
        let mut bytes = [0; 16];
        while names.next < saved.count {
            reader.read_exact(&mut bytes)?;
            let next = names.next;
            // Each name in the log is new.
            if names.find_or_insert(u128::from_le_bytes(bytes))? != next {
                return Ok(ResumedNames::Incomplete);
            }
        }
        names.log.seek(SeekFrom::End(0))?;
        Ok(ResumedNames::Names(Box::new(names)))
    }

    fn with_log(folder: &Path, seeds: [u64; 8], log: File) -> io::Result<Self> {
        let [a, b, c, d, e, f, g, h] = seeds;
        let hashers = [RandomState::with_seeds(a, b, c, d), RandomState::with_seeds(e, f, g, h)];
        let memory = HashMap::with_hasher(RandomState::new());
        let others = HashMap::with_hasher(RandomState::new());
        let (folder, limit) = (folder.into(), IN_MEMORY);
        let log = io::BufWriter::with_capacity(64 << 10, log);
        Ok(Self { hashers, seeds, log, folder, next: 0, memory, others, table: None, limit })
    }

    /// Writes the log to disk.
    pub fn save(&mut self) -> io::Result<SavedNames> {
        self.log.flush()?;
        self.log.get_ref().sync_data()?;
        Ok(SavedNames { seeds: self.seeds.into(), probe: self.probe(), count: self.next })
    }

    fn probe(&self) -> u64 {
        let [high, low] = self.hashers.each_ref().map(|hasher| hasher.hash_one(PROBE));
        high ^ low.rotate_left(1)
    }

    /// Removes the log of names.
    pub fn remove_log(folder: &Path) -> io::Result<()> {
        std::fs::remove_file(folder.join(LOG))
    }

    /// The number of names.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.next
    }

    /// The number of a name, from 0: the next one for a new name. Names of different spaces differ.
    pub fn number(&mut self, space: u32, name: &[u8]) -> io::Result<u64> {
        let [high, low] = self.hashers.each_ref().map(|hasher| hasher.hash_one((space, name)));
        let hash = u128::from(high) << 64 | u128::from(low >> NUMBER_BITS << NUMBER_BITS);
        let next = self.next;
        let number = self.find_or_insert(hash)?;
        if number == next {
            self.log.write_all(&hash.to_le_bytes())?;
        }
        Ok(number)
    }

    /// The number of a name by its hash.
    fn find_or_insert(&mut self, hash: u128) -> io::Result<u64> {
        let [high, low] = [hash >> 64, hash & u128::from(u64::MAX)]
            .map(|half| u64::try_from(half).unwrap_or_default());
        let further = low >> NUMBER_BITS;
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
        let number = match self.memory.entry(high) {
            Entry::Vacant(entry) => {
                entry.insert(further << NUMBER_BITS | next);
                next
            }
            Entry::Occupied(entry) if entry.get() >> NUMBER_BITS == further => {
                entry.get() & ((1 << NUMBER_BITS) - 1)
            }
            Entry::Occupied(_) => *self.others.entry(hash).or_insert(next),
        };
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
        let mut sorted: Vec<(u128, u64)> = Vec::with_capacity(self.memory.len());
        for (high, value) in std::mem::take(&mut self.memory) {
            let hash = u128::from(high) << 64 | u128::from(value >> NUMBER_BITS << NUMBER_BITS);
            sorted.push((hash, value & ((1 << NUMBER_BITS) - 1)));
        }
        sorted.extend(std::mem::take(&mut self.others));
        sorted.sort_unstable();
        let mut table = Table::create(&self.folder.join("names-0.table"), slots)?;
        table.fill(sorted.into_iter().map(Ok))?;
        self.table = Some(table);
        Ok(())
    }

    /// Moves the names into a file with four times the slots.
    fn grow(&mut self) -> io::Result<()> {
        let Some(mut old) = self.table.take() else { return Ok(()) };
        let slots = old.slots * 4;
        let path = self.folder.join(format!("names-{slots}.table"));
        let mut table = Table::create(&path, slots)?;
        let mut reader = io::BufReader::with_capacity(1 << 20, &mut old.file);
        reader.seek(SeekFrom::Start(0))?;
        let mut left = old.slots;
        let names = std::iter::from_fn(|| {
            let mut slot = [0; SLOT];
            while left > 0 {
                left -= 1;
                if let Err(error) = reader.read_exact(&mut slot) {
                    return Some(Err(error));
                }
                if let Some(name) = read_slot(&slot) {
                    return Some(Ok(name));
                }
            }
            None
        });
        table.fill(names)?;
        self.table = Some(table);
        Ok(())
    }
}

impl Table {
    /// A table without names. The file has no name any more where the system allows it.
    fn create(path: &Path, slots: u64) -> io::Result<Self> {
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(true).open(path)?;
        file.set_len(slots * SLOT as u64)?;
        drop(std::fs::remove_file(path));
        Ok(Self { file, slots, cache: vec![(0, 0); CACHED] })
    }

    /// Fills an empty table in sequence with names in the order of their hashes. The few that are out
    /// of order, because they were beyond the end of another table, come last.
    fn fill(&mut self, names: impl Iterator<Item = io::Result<(u128, u64)>>) -> io::Result<()> {
        let mut others = Vec::new();
        let mut writer = io::BufWriter::with_capacity(1 << 20, &mut self.file);
        writer.seek(SeekFrom::Start(0))?;
        let (mut free, mut last) = (0, 0);
        for name in names {
            let (hash, number) = name?;
            let wanted = wanted(hash, self.slots);
            let place = wanted.max(free);
            if hash < last || place >= self.slots || place - wanted > LONGEST_RUN {
                others.push((hash, number));
                continue;
            }
            last = hash;
            if place > free {
                writer.seek_relative(i64::try_from((place - free) * SLOT as u64).unwrap_or(0))?;
            }
            writer.write_all(&slot(hash, number))?;
            free = place + 1;
        }
        writer.flush()?;
        drop(writer);
        for (hash, number) in others {
            self.find_or_insert(hash, number)?;
        }
        Ok(())
    }

    /// The number of a name; if it is new, this one.
    fn find_or_insert(&mut self, hash: u128, new: u64) -> io::Result<u64> {
        let cached = usize::try_from((hash >> 64) % self.cache.len() as u128).unwrap_or_default();
        if self.cache[cached] != (0, 0) && self.cache[cached].0 == hash {
            return Ok(self.cache[cached].1);
        }
        let mut place = wanted(hash, self.slots);
        let mut buffer = [0; SLOT * SLOTS_READ];
        loop {
            let read = (self.slots - place).min(SLOTS_READ as u64);
            let part = &mut buffer[..usize::try_from(read).unwrap_or_default() * SLOT];
            read_at(&mut self.file, part, place * SLOT as u64)?;
            for (offset, found) in part.chunks_exact(SLOT).enumerate() {
                let number = match read_slot(found) {
                    Some((found, number)) if found == hash => number,
                    Some(_) => continue,
                    None => {
                        let at = (place + offset as u64) * SLOT as u64;
                        write_at(&mut self.file, &slot(hash, new), at)?;
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

/// The slot of a hash by its first bits, so that names in the order of their hashes are in sequence.
fn wanted(hash: u128, slots: u64) -> u64 {
    u64::try_from(hash >> (128 - slots.trailing_zeros())).unwrap_or_default()
}

fn slot(hash: u128, number: u64) -> [u8; SLOT] {
    let mut bytes = [0; SLOT];
    bytes[..16].copy_from_slice(&hash.to_le_bytes());
    bytes[16..].copy_from_slice(&(number + 1).to_le_bytes());
    bytes
}

#[cfg(unix)]
fn read_at(file: &mut File, out: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, out, at)
}

#[cfg(unix)]
fn write_at(file: &mut File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(not(unix))]
fn read_at(file: &mut File, out: &mut [u8], at: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(out)
}

#[cfg(not(unix))]
fn write_at(file: &mut File, bytes: &[u8], at: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
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
        let mut names = Names::new(folder.path()).unwrap();
        names.limit = 10;
        let mut saved = names.save().unwrap();
        for round in 0..4 {
            if round > 1 {
                // Names after the last save are lost with the process.
                names.number(9, &[round]).unwrap();
                names = match Names::resume(folder.path(), &saved).unwrap() {
                    ResumedNames::Names(names) => *names,
                    other => panic!("{other:?}"),
                };
            }
            for number in 0..2_000_u64 {
                let found = names.number(0, format!("n{number}").as_bytes()).unwrap();
                assert_eq!(found, number, "{round}");
            }
            saved = names.save().unwrap();
        }
        let other = SavedNames { probe: 0, ..saved };
        let resumed = Names::resume(folder.path(), &other).unwrap();
        assert!(matches!(resumed, ResumedNames::OtherHashers), "{resumed:?}");
        assert_eq!(names.number(1, b"n5").unwrap(), 2_000);
        assert_eq!(names.count(), 2_001);
    }
}
