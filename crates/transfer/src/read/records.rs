//! The records of a file: lines of RDF and JSON, objects of a list, rows of CSV.

use std::io::{self, BufRead};
use std::path::PathBuf;

use super::input::{BYTE_ORDER_MARK, Input, Marked, Opened, Source, open, open_at};
use super::{Format, ReadError};

/// Most bytes of a record: longer ones are rejected.
pub(crate) const LONGEST: usize = 64 << 20;

/// The records of a file.
pub struct Records {
    reader: Reader,
    name: String,
    /// The number of the newest record, from 1.
    number: u64,
    line: u64,
    /// Line ends within the newest object.
    lines_within: u64,
    /// The place in the file from which it is read; `None` if it is compressed.
    start: Option<u64>,
    /// Bytes of lines and objects that were read.
    consumed: u64,
    /// Lines before the first row that is read.
    lines_before: u64,
    bytes: Vec<u8>,
    row: csv::ByteRecord,
}

/// A place between two records of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The number of records before it.
    pub record: u64,
    pub line: u64,
    pub lines_within: u64,
    /// The place in a file that is not compressed.
    pub offset: Option<u64>,
}

enum Reader {
    Lines(Input),
    Objects(Input),
    Rows(Box<csv::Reader<Marked>>),
}

/// A record.
#[derive(Debug)]
pub struct Record<'r> {
    /// From 1: an empty line counts as one, too.
    pub number: u64,
    /// The line in the file where it begins, from 1.
    pub line: u64,
    /// A line without its end, or an object. Cut if it is too long.
    pub bytes: &'r [u8],
    /// The cells of a row of CSV.
    pub row: &'r csv::ByteRecord,
    pub is_too_long: bool,
}

impl Record<'_> {
    /// The text of the record.
    #[must_use]
    pub fn text(&self) -> String {
        if self.row.is_empty() {
            return String::from_utf8_lossy(self.bytes).into_owned();
        }
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Writing to memory cannot fail.
        drop(writer.write_byte_record(self.row));
        let bytes = writer.into_inner().unwrap_or_default();
        String::from_utf8_lossy(bytes.trim_ascii_end()).into_owned()
    }
}

impl std::fmt::Debug for Records {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Records").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Records {
    /// Opens a file.
    pub fn open(source: &Source) -> Result<Self, ReadError> {
        Ok(Self::new(source, open(source)?))
    }

    /// Opens a file, to read the records after a position. Those before it are decompressed again if
    /// the file is compressed.
    pub fn open_at(source: &Source, position: &Position) -> Result<Self, ReadError> {
        let Some(offset) = position.offset else {
            let mut records = Self::open(source)?;
            while records.number < position.record && records.next_record()?.is_some() {}
            return Ok(records);
        };
        let mut records = Self::new(source, open_at(source, offset)?);
        let Position { record, line, lines_within, .. } = *position;
        (records.number, records.line, records.lines_within) = (record, line, lines_within);
        records.lines_before = line.saturating_sub(1);
        Ok(records)
    }

    /// The position after the newest record.
    #[must_use]
    pub fn position(&self) -> Position {
        let (line, consumed) = match &self.reader {
            Reader::Lines(_) | Reader::Objects(_) => (self.line, self.consumed),
            Reader::Rows(reader) => {
                let position = reader.position();
                let consumed = position.byte().saturating_sub(BYTE_ORDER_MARK.len() as u64);
                (position.line() + self.lines_before, consumed)
            }
        };
        let offset = self.start.map(|start| start + consumed);
        Position { record: self.number, line, lines_within: self.lines_within, offset }
    }

    fn new(source: &Source, Opened { input, start }: Opened) -> Self {
        let reader = match source.format {
            Format::Rdf | Format::Lines => Reader::Lines(input),
            Format::Json => Reader::Objects(input),
            Format::Csv => {
                let mut builder = csv::ReaderBuilder::new();
                // Lines that end with `\r\n` are counted right if only `\n` ends them.
                let terminator = csv::Terminator::Any(b'\n');
                let builder = builder.has_headers(false).flexible(true).terminator(terminator);
                let reader = builder.from_reader(Marked::new(input));
                Reader::Rows(Box::new(reader))
            }
        };
        let (bytes, row) = (Vec::new(), csv::ByteRecord::new());
        let line = if source.format == Format::Json { 1 } else { 0 };
        let name = source.name.clone();
        let (number, lines_within, consumed, lines_before) = (0, 0, 0, 0);
        Self { reader, name, number, line, lines_within, start, consumed, lines_before, bytes, row }
    }

    /// The next record.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, ReadError> {
        let line = self.line;
        let found = self.advance();
        let failed = |error| ReadError::Read { file: PathBuf::from(&self.name), line, error };
        let Some(is_too_long) = found.map_err(failed)? else { return Ok(None) };
        self.number += 1;
        let (number, line) = (self.number, self.line);
        Ok(Some(Record { number, line, bytes: &self.bytes, row: &self.row, is_too_long }))
    }

    /// Reads a record, and returns whether it is too long; `None` at the end.
    fn advance(&mut self) -> io::Result<Option<bool>> {
        self.bytes.clear();
        match &mut self.reader {
            Reader::Lines(input) => {
                self.line += 1;
                read_line(input, &mut self.bytes, &mut self.consumed)
            }
            Reader::Objects(input) => {
                self.line += self.lines_within;
                let lines = (&mut self.line, &mut self.lines_within);
                read_object(input, &mut self.bytes, lines, &mut self.consumed)
            }
            Reader::Rows(reader) => {
                let is_row = reader.read_byte_record(&mut self.row).map_err(io::Error::from)?;
                let start = self.row.position().map(csv::Position::line);
                self.line = start.map_or(self.line, |start| start + self.lines_before);
                trim_return(&mut self.row);
                Ok(is_row.then(|| self.row.as_slice().len() > LONGEST))
            }
        }
    }
}

/// Removes the first half of a line end from the last cell.
fn trim_return(row: &mut csv::ByteRecord) {
    let Some(last) = row.len().checked_sub(1) else { return };
    let Some(cell) = row.get(last).and_then(|cell| cell.strip_suffix(b"\r")) else { return };
    let cell = cell.to_vec();
    row.truncate(last);
    row.push_field(&cell);
}

/// Reads a line without its end. One that is too long is read to its end, and cut.
fn read_line(input: &mut Input, out: &mut Vec<u8>, consumed: &mut u64) -> io::Result<Option<bool>> {
    let (mut any, mut is_too_long) = (false, false);
    loop {
        let available = input.fill_buf()?;
        if available.is_empty() {
            break;
        }
        any = true;
        let end = memchr::memchr(b'\n', available);
        let part = available.get(..end.unwrap_or(available.len())).unwrap_or_default();
        let room = LONGEST.saturating_sub(out.len());
        is_too_long |= part.len() > room;
        out.extend_from_slice(part.get(..room.min(part.len())).unwrap_or_default());
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        *consumed += used as u64;
        if end.is_some() {
            break;
        }
    }
    if out.last() == Some(&b'\r') {
        out.pop();
    }
    Ok(any.then_some(is_too_long))
}

/// Reads the next object of a list, or of several one after the other. `line` becomes the line in
/// which it begins, and `within` the number of its line ends. Anything else between objects is a
/// record up to the end of its line.
fn read_object(
    input: &mut Input,
    out: &mut Vec<u8>,
    (line, within): (&mut u64, &mut u64),
    consumed: &mut u64,
) -> io::Result<Option<bool>> {
    let mut scan = Scan { depth: 0, in_string: false, is_escaped: false };
    let mut began = false;
    let mut is_other = false;
    let mut is_too_long = false;
    *within = 0;
    loop {
        let available = input.fill_buf()?;
        if available.is_empty() {
            break;
        }
        let mut used = 0;
        let mut is_done = false;
        let mut kept_from = 0;
        for byte in available {
            used += 1;
            if !began {
                match byte {
                    b'\n' => {
                        *line += 1;
                        kept_from = used;
                        continue;
                    }
                    b' ' | b'\t' | b'\r' | b',' | b'[' | b']' => {
                        kept_from = used;
                        continue;
                    }
                    _ => {
                        began = true;
                        is_other = *byte != b'{';
                        kept_from = used - 1;
                    }
                }
            }
            *within += u64::from(*byte == b'\n');
            is_done = if is_other { *byte == b'\n' } else { scan.ends(*byte) };
            if is_done {
                break;
            }
        }
        if began {
            let part = available.get(kept_from..used).unwrap_or_default();
            let room = LONGEST.saturating_sub(out.len());
            is_too_long |= part.len() > room;
            out.extend_from_slice(part.get(..room.min(part.len())).unwrap_or_default());
        }
        input.consume(used);
        *consumed += used as u64;
        if is_done {
            break;
        }
    }
    Ok(began.then_some(is_too_long))
}

/// The end of an object.
struct Scan {
    depth: u32,
    in_string: bool,
    is_escaped: bool,
}

impl Scan {
    /// Returns true if the object ends with this byte.
    fn ends(&mut self, byte: u8) -> bool {
        if self.in_string {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.depth == 0
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn read(format: Format, bytes: &[u8]) -> String {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let (path, name) = (file.path().to_path_buf(), "file".to_owned());
        let source = Source { path, name, format, r#type: None };
        let (shown, positions) = rest(Records::open(&source).unwrap());
        // From each position, the same records follow.
        for (place, position) in positions.iter().rev().take(20) {
            let (after, _) = rest(Records::open_at(&source, position).unwrap());
            assert_eq!(after, shown[*place..], "{position:?}");
        }
        shown
    }

    /// Shows the records that are left, and returns the positions between them.
    fn rest(mut records: Records) -> (String, Vec<(usize, Position)>) {
        let (mut shown, mut positions) = (String::new(), Vec::new());
        loop {
            positions.push((shown.len(), records.position()));
            match records.next_record() {
                Ok(None) => return (shown, positions),
                Ok(Some(Record { number, line, bytes, row, .. })) => {
                    let row: Vec<_> = row.iter().map(String::from_utf8_lossy).collect();
                    let text = String::from_utf8_lossy(bytes);
                    shown.push_str(&format!("{number}@{line} {text}{}|", row.join(";")));
                }
                Err(error) => return (format!("{shown} {error}"), positions),
            }
        }
    }

    fn compressed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn lines_have_any_end_and_a_file_may_begin_with_a_mark() {
        assert_eq!(read(Format::Rdf, b"a\r\n\nb"), "1@1 a|2@2 |3@3 b|");
        assert_eq!(read(Format::Rdf, b"\xef\xbb\xbfa\n"), "1@1 a|");
        assert_eq!(read(Format::Rdf, b"\xef\xbb"), "1@1 \u{fffd}|");
        assert_eq!(
            read(Format::Rdf, b"\xef\xbb\xbfa\r\nb\nc\n\nd"),
            "1@1 a|2@2 b|3@3 c|4@4 |5@5 d|"
        );
        assert_eq!(read(Format::Rdf, b""), "");
    }

    #[test]
    fn compressed_files_may_have_several_parts_and_must_be_whole() {
        let both = [compressed(b"a\nb"), compressed(b"c\n")].concat();
        assert_eq!(read(Format::Rdf, &both), "1@1 a|2@2 bc|");
        let whole = compressed(&b"0123456789\n".repeat(20_000));
        let found = read(Format::Rdf, &whole[..whole.len() - 20]);
        let end = " file, after line ";
        assert!(found.contains(end), "{}", &found[found.len() - 100..]);
    }

    #[test]
    fn objects_of_a_list_have_the_lines_in_which_they_begin() {
        let list = b"[\n  {\"a\":\"]}\\\"\"},\n {\"b\":\n[{}]},{}\n]\n";
        let expect = "1@2 {\"a\":\"]}\\\"\"}|2@3 {\"b\":\n[{}]}|3@4 {}|";
        assert_eq!(read(Format::Json, list), expect);
        assert_eq!(read(Format::Json, b"{}\n{}"), "1@1 {}|2@2 {}|");
        assert_eq!(read(Format::Json, b"[1, {}\n{}, {\"a\""), "1@1 1, {}\n|2@2 {}|3@2 {\"a\"|");
    }

    #[test]
    fn rows_have_cells_with_quotes_and_line_ends() {
        assert_eq!(
            read(Format::Csv, b"a,b\r\n\"x\ny\",\"\"\"\"\r\nc\n"),
            "1@1 a;b|2@2 x\ny;\"|3@4 c|"
        );
        assert_eq!(
            read(Format::Csv, b"\xef\xbb\xbfa,b\n\n1,\"2\n3\"\n\n4,5"),
            "1@1 a;b|2@2 1;2\n3|3@5 4;5|"
        );
    }
}
