//! Fuzzing of files that are imported: their records are read to the end, and from each position
//! between two records the same records follow.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

use std::fs;
use std::path::Path;

use testkit::fuzz::{Choices, Target, mutate};
use transfer::read::{Format, Position, Records, Source, rdf};

/// Texts with a meaning in a format.
const PIECES: [&[u8]; 40] = [
    b"\n",
    b"\r\n",
    b"\r",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\x1f\x8b",
    b" ",
    b"\t",
    b".",
    b",",
    b";",
    b"\"",
    b"\"\"",
    b"'",
    b"\\",
    b"\\\"",
    b"\\u0000",
    b"\\ud83d\\ude00",
    b"\\ud800",
    b"\\x80",
    b"\\U0010ffff",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b"#",
    b"*",
    b"(a=1, b=\"x\")",
    b"@en",
    b"^^<xs:int>",
    b"^^<geo:geojson>",
    b"<",
    b">",
    b"<0x1>",
    b"_:a",
    b"<0xffffffffffffffff>",
    "\u{e9}".as_bytes(),
    b"null",
];

/// The first byte of an input chooses the format of the rest.
const FORMATS: [(u8, Format); 4] =
    [(b'r', Format::Rdf), (b'j', Format::Json), (b'l', Format::Lines), (b'c', Format::Csv)];

#[test]
fn imported_files_are_read_to_the_end_from_each_position() {
    let make = |choices: &mut Choices<'_>, seeds: &[Vec<u8>]| {
        let seed = choices.pick(seeds).cloned().unwrap_or_default();
        let (format, rest) = seed.split_first().unwrap();
        let mut rest = rest.to_vec();
        mutate::mutate(&mut rest, &PIECES, choices);
        [&[*format][..], &rest].concat()
    };
    let file = std::env::temp_dir().join(format!("thalweg-import-{}", std::process::id()));
    let check = |input: &[u8]| check(input, &file);
    let target = Target { name: "import", cases: 1_000, make: &make, check: &check };
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let found = target.run(&fixtures);
    // The last input.
    fs::remove_file(&file).unwrap();
    found.unwrap();
}

fn check(input: &[u8], file: &Path) -> Result<(), String> {
    let Some((first, bytes)) = input.split_first() else { return Ok(()) };
    let format = FORMATS.iter().find(|(byte, _)| byte == first);
    let Some((_, format)) = format else { return Ok(()) };
    fs::write(file, bytes).map_err(|error| error.to_string())?;
    let source = Source { path: file.into(), name: "file".into(), format: *format, r#type: None };
    // A broken compressed file cannot be opened.
    let Ok(opened) = Records::open(&source) else { return Ok(()) };
    let (records, positions) = rest(opened, bytes.len())?;
    for record in records.iter().filter(|_| *format == Format::Rdf) {
        let Ok(Some(quad)) = rdf::read(&record.bytes) else { continue };
        if quad.predicate.is_empty() {
            return Err(format!("{quad:?}"));
        }
    }
    for (count, position) in positions.iter().enumerate() {
        let opened = Records::open_at(&source, position).map_err(|error| error.to_string())?;
        let (after, _) = rest(opened, bytes.len())?;
        if after != records[count..] {
            return Err(format!("{position:?}: {after:?} instead of {:?}", &records[count..]));
        }
    }
    Ok(())
}

#[derive(Debug, PartialEq)]
struct Read {
    number: u64,
    line: u64,
    bytes: Vec<u8>,
    cells: Vec<Vec<u8>>,
}

/// The records that are left, and the positions before each of them and at the end.
fn rest(mut records: Records, length: usize) -> Result<(Vec<Read>, Vec<Position>), String> {
    let (mut found, mut positions) = (Vec::new(), vec![records.position()]);
    // A file that is broken, such as a compressed one, is read up to there.
    while let Ok(Some(record)) = records.next_record() {
        found.push(Read {
            number: record.number,
            line: record.line,
            bytes: record.bytes.to_vec(),
            cells: record.row.iter().map(<[u8]>::to_vec).collect(),
        });
        positions.push(records.position());
        if found.len() > length {
            return Err("there are more records than bytes".into());
        }
    }
    Ok((found, positions))
}
