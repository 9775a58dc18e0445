//! Entries with a key of two numbers, in runs on disk.
//!
//! More runs than [`FAN_IN`] are merged into fewer first: a merge of thousands of runs at once would
//! exceed the limit of open files.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Bytes of entries in memory before a run is written.
const MEMORY: usize = 48 << 20;

/// Size of the buffer of a run that is merged.
const READ_BUFFER: usize = 256 << 10;

/// Limit of runs that are merged at once: each is an open file with a buffer.
const FAN_IN: usize = 64;

/// A key: entries with equal keys stay in the order in which they were added.
pub(super) type Key = (u64, u64);

/// Collects entries.
#[derive(Debug)]
pub struct Sorter {
    folder: PathBuf,
    /// The name of its files: sorters of one folder have different ones.
    name: Box<str>,
    bytes: Vec<u8>,
    places: Vec<EntrySpan>,
    runs: Vec<PathBuf>,
    /// Bytes of the runs.
    lengths: Vec<u64>,
    /// Runs that are on disk even after a power failure.
    synced: usize,
    /// True if the runs stay when this is dropped.
    is_kept: bool,
    memory: usize,
}

#[derive(Clone, Copy, Debug)]
struct EntrySpan {
    key: Key,
    start: u32,
    length: u32,
}

/// Sorted entries, which can be read several times.
#[derive(Debug)]
pub struct Sorted {
    bytes: Vec<u8>,
    places: Vec<EntrySpan>,
    runs: Vec<RunFile>,
}

/// A run on disk.
#[derive(Debug)]
struct RunFile {
    path: PathBuf,
    /// True if the file stays when the entries are dropped.
    is_kept: bool,
}

/// The entries in their order.
#[derive(Debug)]
pub struct Entries<'s> {
    memory: std::slice::Iter<'s, EntrySpan>,
    bytes: &'s [u8],
    heap: BinaryHeap<Run>,
    payload: Vec<u8>,
}

#[derive(Debug)]
struct Run {
    key: Key,
    index: usize,
    payload: Vec<u8>,
    reader: BufReader<File>,
}

impl Sorter {
    #[must_use]
    pub fn new(folder: &Path, name: &str) -> Self {
        let (bytes, places, runs, lengths) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self {
            folder: folder.into(),
            name: name.into(),
            bytes,
            places,
            runs,
            lengths,
            synced: 0,
            is_kept: false,
            memory: MEMORY,
        }
    }

    /// Lowers the memory for entries to a limit.
    #[must_use]
    pub fn limit(mut self, memory: usize) -> Self {
        self.memory = self.memory.min(memory);
        self
    }

    /// Returns a sorter that begins with the saved runs of another one. It removes none of its runs:
    /// the owner of the folder does.
    #[must_use]
    pub fn resumable(folder: &Path, name: &str, lengths: &[u64], memory: usize) -> Self {
        let mut sorter = Self::new(folder, name);
        sorter.runs = (0..lengths.len()).map(|index| run_path(folder, name, index)).collect();
        sorter.lengths = lengths.into();
        sorter.synced = lengths.len();
        (sorter.is_kept, sorter.memory) = (true, memory);
        sorter
    }

    /// Returns true if a run is to be written before the next record, which may have several
    /// entries.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.runs.len() > self.synced || self.used() + self.memory / 16 > self.memory
    }

    /// Returns true if there is enough for a run, or if the last entries become one anyway. Many
    /// small runs would be merged in several passes.
    #[must_use]
    pub fn is_worth_a_run(&self, is_last: bool) -> bool {
        let is_half_full = self.used() > self.memory / 2;
        self.runs.len() > self.synced || is_half_full || (is_last && !self.runs.is_empty())
    }

    /// Writes all entries to disk, and returns the lengths of all runs.
    pub fn save(&mut self) -> io::Result<&[u64]> {
        if !self.places.is_empty() {
            self.write_run()?;
        }
        for run in &self.runs[self.synced..] {
            File::open(run)?.sync_all()?;
        }
        self.synced = self.runs.len();
        Ok(&self.lengths)
    }

    fn used(&self) -> usize {
        self.bytes.len() + self.places.len() * size_of::<EntrySpan>()
    }

    /// Adds an entry.
    pub fn push(&mut self, key: Key, payload: &[u8]) -> io::Result<()> {
        if self.used() + payload.len() > self.memory && !self.places.is_empty() {
            self.write_run()?;
        }
        let too_long = |_| io::Error::other("an entry is longer than 4 GiB");
        let start = u32::try_from(self.bytes.len()).map_err(too_long)?;
        let length = u32::try_from(payload.len()).map_err(too_long)?;
        self.bytes.extend_from_slice(payload);
        self.places.push(EntrySpan { key, start, length });
        Ok(())
    }

    /// Sorts what was added. A few entries stay in memory.
    pub fn finish(mut self) -> io::Result<Sorted> {
        if !self.runs.is_empty() && !self.places.is_empty() {
            self.write_run()?;
        }
        self.places.sort_by_key(|place| place.key);
        let is_kept = self.is_kept;
        let runs = std::mem::take(&mut self.runs).into_iter();
        let runs = runs.map(|path| RunFile { path, is_kept }).collect();
        let runs = merge_passes(runs, &self.folder, &self.name)?;
        let (bytes, places) = (std::mem::take(&mut self.bytes), std::mem::take(&mut self.places));
        Ok(Sorted { bytes, places, runs })
    }

    fn write_run(&mut self) -> io::Result<()> {
        self.places.sort_by_key(|place| place.key);
        let path = run_path(&self.folder, &self.name, self.runs.len());
        let mut length = 0;
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&path)?);
        self.runs.push(path);
        for EntrySpan { key, start, length: bytes } in self.places.drain(..) {
            write_entry(&mut out, key, slice(&self.bytes, start, bytes))?;
            length += 20 + u64::from(bytes);
        }
        self.bytes.clear();
        self.lengths.push(length);
        out.into_inner()?;
        Ok(())
    }
}

impl Drop for Sorter {
    fn drop(&mut self) {
        if !self.is_kept {
            self.runs.iter().for_each(|run| remove(run));
        }
    }
}

/// The file of a run.
#[must_use]
pub fn run_path(folder: &Path, name: &str, index: usize) -> PathBuf {
    folder.join(format!("{name}-{index}.run"))
}

impl Sorted {
    /// Reads the entries.
    pub fn entries(&self) -> io::Result<Entries<'_>> {
        Entries::new(&self.places, &self.bytes, &self.runs)
    }
}

impl Drop for Sorted {
    fn drop(&mut self) {
        self.runs.iter().for_each(RunFile::discard);
    }
}

impl RunFile {
    fn discard(&self) {
        if !self.is_kept {
            remove(&self.path);
        }
    }
}

/// Merges runs until [`FAN_IN`] are left at most. A pass merges as few of them as it can. Each run
/// stays between its neighbours, so that equal keys keep their order.
fn merge_passes(mut runs: Vec<RunFile>, folder: &Path, name: &str) -> io::Result<Vec<RunFile>> {
    let mut merged = 0;
    while runs.len() > FAN_IN {
        let mut excess = runs.len() - FAN_IN;
        let mut rest = runs.into_iter();
        let mut fewer = Vec::new();
        while excess > 0 {
            let group: Vec<RunFile> = rest.by_ref().take(FAN_IN.min(excess + 1)).collect();
            if let [] | [_] = group.as_slice() {
                fewer.extend(group);
                break;
            }
            excess -= group.len() - 1;
            let path = folder.join(format!("{name}-{merged}.merged"));
            merged += 1;
            merge(&group, &path)?;
            group.iter().for_each(RunFile::discard);
            fewer.push(RunFile { path, is_kept: false });
        }
        fewer.extend(rest);
        runs = fewer;
    }
    Ok(runs)
}

fn merge(runs: &[RunFile], path: &Path) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut entries = Entries::new(&[], &[], runs)?;
    while let Some((key, payload)) = entries.next_entry()? {
        write_entry(&mut out, key, payload)?;
    }
    out.into_inner()?;
    Ok(())
}

fn write_entry(out: &mut impl Write, key: Key, payload: &[u8]) -> io::Result<()> {
    let length = u32::try_from(payload.len()).map_err(io::Error::other)?;
    out.write_all(&key.0.to_le_bytes())?;
    out.write_all(&key.1.to_le_bytes())?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(payload)
}

/// The folder of the files is removed at the end anyway.
fn remove(run: &Path) {
    drop(std::fs::remove_file(run));
}

impl<'s> Entries<'s> {
    fn new(places: &'s [EntrySpan], bytes: &'s [u8], runs: &[RunFile]) -> io::Result<Self> {
        let mut heap = BinaryHeap::with_capacity(runs.len());
        for (index, file) in runs.iter().enumerate() {
            let reader = BufReader::with_capacity(READ_BUFFER, File::open(&file.path)?);
            let mut run = Run { key: (0, 0), index, payload: Vec::new(), reader };
            if run.advance()? {
                heap.push(run);
            }
        }
        Ok(Self { memory: places.iter(), bytes, heap, payload: Vec::new() })
    }

    /// The next entry.
    pub fn next_entry(&mut self) -> io::Result<Option<(Key, &[u8])>> {
        if let Some(EntrySpan { key, start, length }) = self.memory.next() {
            return Ok(Some((*key, slice(self.bytes, *start, *length))));
        }
        let Some(mut run) = self.heap.peek_mut() else { return Ok(None) };
        let key = run.key;
        std::mem::swap(&mut self.payload, &mut run.payload);
        if !run.advance()? {
            PeekMut::pop(run);
        }
        Ok(Some((key, &self.payload)))
    }
}

impl Run {
    /// Reads the next entry; false at the end.
    fn advance(&mut self) -> io::Result<bool> {
        let mut head = [0; 20];
        let mut filled = 0;
        while filled < head.len() {
            match self.reader.read(&mut head[filled..])? {
                0 if filled == 0 => return Ok(false),
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => filled += read,
            }
        }
        let number = |from: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&head[from..from + 8]);
            u64::from_le_bytes(bytes)
        };
        self.key = (number(0), number(8));
        let length = u32::from_le_bytes([head[16], head[17], head[18], head[19]]);
        self.payload.resize(usize::try_from(length).unwrap_or_default(), 0);
        self.reader.read_exact(&mut self.payload)?;
        Ok(true)
    }
}

/// The smallest key comes first out of the heap, of equal ones that of the earliest run.
impl Ord for Run {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.key, other.index).cmp(&(self.key, self.index))
    }
}

impl PartialOrd for Run {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Run {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Run {}

fn slice(bytes: &[u8], start: u32, length: u32) -> &[u8] {
    let start = usize::try_from(start).unwrap_or(usize::MAX);
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    bytes.get(start..start.saturating_add(length)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_in_the_order_of_their_keys_from_memory_and_from_runs() {
        let folder = tempfile::tempdir().unwrap();
        for memory in [1 << 20, 400] {
            let mut sorter = Sorter::new(folder.path(), "test");
            sorter.memory = memory;
            let mut expect = Vec::new();
            for number in 0..1_000_u64 {
                let key = (number * 7_919 % 101, number % 3);
                let payload = number.to_string();
                sorter.push(key, payload.as_bytes()).unwrap();
                expect.push((key, payload));
            }
            expect.sort_by_key(|(key, _)| *key);
            let sorted = sorter.finish().unwrap();
            for _ in 0..2 {
                let mut entries = sorted.entries().unwrap();
                let mut found = Vec::new();
                while let Some((key, payload)) = entries.next_entry().unwrap() {
                    found.push((key, String::from_utf8(payload.to_vec()).unwrap()));
                }
                assert_eq!(found, expect);
            }
        }
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn saved_runs_are_continued() {
        let folder = tempfile::tempdir().unwrap();
        let mut lengths = Vec::new();
        let mut expect = Vec::new();
        for round in 0..3_u64 {
            let mut sorter = Sorter::resumable(folder.path(), "test", &lengths, 1 << 20);
            for number in 0..100 {
                sorter.push((number % 7, round), &[1]).unwrap();
                expect.push((number % 7, round));
            }
            lengths = sorter.save().unwrap().to_vec();
            // Lost with the process.
            sorter.push((0, 9), &[2]).unwrap();
        }
        expect.sort_unstable();
        let sorted = Sorter::resumable(folder.path(), "test", &lengths, 1 << 20).finish().unwrap();
        let mut entries = sorted.entries().unwrap();
        for key in expect {
            assert_eq!(entries.next_entry().unwrap(), Some((key, &[1][..])));
        }
        assert_eq!(entries.next_entry().unwrap(), None);
        assert_eq!(lengths, [2_100; 3]);
    }

    /// Adds entries, and returns them in their order.
    fn add_many(sorter: &mut Sorter, numbers: std::ops::Range<u64>) -> Vec<(Key, String)> {
        let mut added = Vec::new();
        for number in numbers {
            let key = (number * 7_919 % 101, number % 3);
            let payload = number.to_string();
            sorter.push(key, payload.as_bytes()).unwrap();
            added.push((key, payload));
        }
        added.sort_by_key(|(key, _)| *key);
        added
    }

    fn read(sorted: &Sorted) -> Vec<(Key, String)> {
        let mut entries = sorted.entries().unwrap();
        let mut found = Vec::new();
        while let Some((key, payload)) = entries.next_entry().unwrap() {
            found.push((key, String::from_utf8(payload.to_vec()).unwrap()));
        }
        found
    }

    #[test]
    fn many_runs_are_merged_in_passes() {
        let folder = tempfile::tempdir().unwrap();
        let files = || folder.path().read_dir().unwrap().count();
        // One run too many, all runs in one pass, and several passes.
        for runs in [FAN_IN, FAN_IN + 1, FAN_IN * FAN_IN, FAN_IN * FAN_IN + 2] {
            let mut sorter = Sorter::new(folder.path(), "test");
            sorter.memory = 1;
            let expect = add_many(&mut sorter, 0..runs as u64);
            let sorted = sorter.finish().unwrap();
            assert_eq!(sorted.runs.len(), FAN_IN, "of {runs}");
            assert_eq!(files(), FAN_IN);
            for _ in 0..2 {
                assert_eq!(read(&sorted), expect);
            }
            drop(sorted);
            assert_eq!(files(), 0);
        }
    }

    #[test]
    fn merged_runs_leave_the_saved_ones_for_an_import_that_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let runs = 3 * FAN_IN;
        let mut sorter = Sorter::resumable(folder.path(), "test", &[], 1);
        let expect = add_many(&mut sorter, 0..runs as u64);
        let lengths = sorter.save().unwrap().to_vec();
        assert_eq!(lengths.len(), runs);
        drop(sorter);
        for _ in 0..2 {
            let sorter = Sorter::resumable(folder.path(), "test", &lengths, 1);
            let sorted = sorter.finish().unwrap();
            assert!(sorted.runs.len() <= FAN_IN);
            assert_eq!(read(&sorted), expect);
            drop(sorted);
            for (index, length) in lengths.iter().enumerate() {
                let path = run_path(folder.path(), "test", index);
                assert_eq!(path.metadata().unwrap().len(), *length);
            }
            assert_eq!(folder.path().read_dir().unwrap().count(), runs);
        }
    }
}
