//! Sorting on disk, with bounded memory: entries are sorted in runs, which are merged.
//!
//! * `names`: numbers of names, of which there may be more than memory has room for
//!
//! The alternative was a temporary SQLite database with a table of values, sorted by `ORDER BY`. It
//! needs no code of ours, and has the cost of a B-tree page, a record header and a comparison of
//! records for each of the tens of millions of values of an export; runs are written and read in
//! sequence, and compare two numbers.

mod names;
mod runs;

pub use names::{Names, ResumedNames, SavedNames};
pub use runs::{Entries, Sorted, Sorter, run_path};
