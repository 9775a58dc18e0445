//! Files → records → values of subjects.
//!
//! * `input`: files, compressed or not
//! * `records`: the lines, objects and rows of a file, with their numbers
//! * [`rdf`]: lines of RDF N-Quads

mod input;
pub mod rdf;
mod records;

use std::io;
use std::path::{Path, PathBuf};

pub use input::Source;
pub use records::{Position, Record, Records};

/// Formats of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// N-Quads, as Dgraph exports and loads them.
    Rdf,
    /// One list of objects, as Dgraph exports it, or objects one after the other.
    Json,
    /// An object on each line.
    Lines,
    Csv,
}

/// A name by which a file refers to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name<'n> {
    /// An id of Dgraph.
    Uid(u64),
    /// Any other name, in the whole import: `_:a`.
    Blank(&'n str),
}

/// A file that cannot be read to its end.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("cannot open {}: {error}", file.display())]
    Open { file: PathBuf, error: io::Error },
    #[error("{}, after line {line}: {error}", file.display())]
    Read { file: PathBuf, line: u64, error: io::Error },
}

impl Format {
    /// The format that the name of a file has, without `.gz`.
    #[must_use]
    pub fn of(file: &Path) -> Option<Self> {
        let name = file.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        Some(match name.rsplit_once('.')?.1 {
            "rdf" | "nq" | "nt" => Self::Rdf,
            "json" => Self::Json,
            "jsonl" | "ndjson" => Self::Lines,
            "csv" => Self::Csv,
            _ => return None,
        })
    }
}

impl<'n> Name<'n> {
    /// A number as Dgraph reads it, or another name.
    #[must_use]
    pub fn new(text: &'n str) -> Self {
        match uid(text) {
            Some(uid) => Self::Uid(uid),
            None => Self::Blank(text),
        }
    }
}

/// An id in hexadecimal digits after `0x`, or in decimal digits.
#[must_use]
pub fn uid(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, base) = digits.map_or((text, 10), |digits| (digits, 16));
    let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u64::from_str_radix(digits, base).ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_follow_from_names() {
        let of = |name: &str| Format::of(Path::new(name));
        assert_eq!(of("a/g01.rdf.gz"), Some(Format::Rdf));
        assert_eq!(of("g01.JSON"), Some(Format::Json));
        assert_eq!(of("Author.csv.gz"), Some(Format::Csv));
        assert_eq!((of("x.gz"), of("x.txt"), of("-")), (None, None, None));
    }

    #[test]
    fn names_are_ids_or_texts() {
        assert_eq!(Name::new("0x2A"), Name::Uid(42));
        assert_eq!(Name::new("42"), Name::Uid(42));
        for text in ["_:a", "", "0x", "+4", "http://a", "18446744073709551616"] {
            assert_eq!(Name::new(text), Name::Blank(text));
        }
    }
}
