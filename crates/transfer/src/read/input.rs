//! Files, compressed or not, from their beginning.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use super::{Format, ReadError};

/// Bytes that are read at once.
const BUFFER: usize = 256 << 10;

const GZIP: &[u8] = &[0x1f, 0x8b];
pub(super) const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// A file to import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub path: PathBuf,
    /// The name in messages.
    pub name: String,
    pub format: Format,
    /// The type of the objects of a table.
    pub r#type: Option<String>,
}

pub(super) type Input = Box<dyn BufRead>;

/// An open file.
pub(super) struct Opened {
    pub(super) input: Input,
    /// The place in the file from which it is read; `None` if it is compressed.
    pub(super) start: Option<u64>,
}

/// An input with a byte order mark before it. The reader of CSV skips one at its beginning; after a
/// position in a file, it would be a part of a cell.
pub(super) struct Marked {
    input: Input,
    is_begun: bool,
}

impl Marked {
    pub(super) fn new(input: Input) -> Self {
        Self { input, is_begun: false }
    }
}

impl Read for Marked {
    /// Reads the mark together with other bytes: the reader of CSV looks for it in its first ones.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = BYTE_ORDER_MARK.len();
        match buffer.split_at_mut_checked(length) {
            Some((mark, rest)) if !self.is_begun => {
                let read = self.input.read(rest)?;
                mark.copy_from_slice(BYTE_ORDER_MARK);
                self.is_begun = true;
                Ok(length + read)
            }
            _ => self.input.read(buffer),
        }
    }
}

/// Opens a file; a compressed one is recognized by its first bytes.
pub(super) fn open(source: &Source) -> Result<Opened, ReadError> {
    let failed = |error| ReadError::Open { file: PathBuf::from(&source.name), error };
    read_from(File::open(&source.path).map_err(failed)?, &source.path).map_err(failed)
}

/// Opens a file that is not compressed, from a place on.
pub(super) fn open_at(source: &Source, start: u64) -> Result<Opened, ReadError> {
    let opened = || {
        let mut file = File::open(&source.path)?;
        file.seek(SeekFrom::Start(start))?;
        let input: Input = Box::new(BufReader::with_capacity(BUFFER, file));
        Ok(Opened { input, start: Some(start) })
    };
    opened().map_err(|error| ReadError::Open { file: PathBuf::from(&source.name), error })
}

fn read_from(file: File, path: &Path) -> io::Result<Opened> {
    if file.metadata()?.is_dir() {
        return Err(io::Error::other(format!("{} is a folder", path.display())));
    }
    let mut plain = BufReader::with_capacity(BUFFER, file);
    if plain.fill_buf()?.starts_with(GZIP) {
        let decoded = BufReader::with_capacity(BUFFER, MultiGzDecoder::new(plain));
        return Ok(Opened { start: None, ..without_mark(decoded)? });
    }
    without_mark(plain)
}

fn without_mark(mut input: impl BufRead + 'static) -> io::Result<Opened> {
    // A decoder may return fewer bytes than the mark has.
    let mut start = Vec::with_capacity(BYTE_ORDER_MARK.len());
    Read::by_ref(&mut input).take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut start)?;
    let mut skipped = 0;
    if start == BYTE_ORDER_MARK {
        skipped = start.len() as u64;
        start.clear();
    }
    let input = Box::new(io::Cursor::new(start).chain(input));
    Ok(Opened { input, start: Some(skipped) })
}
