//! Fuzzing of metadata: changed files are refused with a problem, or read; and what was read is
//! written and read as the same.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

use std::path::Path;

use hasura_metadata::{Folder, Reading, read_folder, read_text};
use testkit::fuzz::{Choices, Target, mutate};

/// Texts with a meaning in some place.
const PIECES: [&[u8]; 40] = [
    b"\n",
    b"\r\n",
    b" ",
    b"  ",
    b"\t",
    b"\xff",
    b"\xef\xbb\xbf",
    b"- ",
    b": ",
    b"? ",
    b"&a ",
    b"*a",
    b"<<: ",
    b"!include ",
    b"!!str ",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b"\"",
    b"'",
    b"|\n",
    b"---\n",
    b"#",
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"18446744073709551616",
    b"\\ud800",
    b"..",
    b"/",
    b"_and",
    b"_eq",
    b"$eq",
    b"X-Hasura-",
    b"name",
    b"version",
    b"sources",
];

#[test]
fn changed_metadata_is_refused_or_read() {
    let make = |choices: &mut Choices<'_>, seeds: &[Vec<u8>]| {
        let seed = choices.pick(seeds).cloned().unwrap_or_default();
        let (form, rest) = seed.split_first().unwrap();
        let mut rest = rest.to_vec();
        mutate::mutate(&mut rest, &PIECES, choices);
        [&[*form][..], &rest].concat()
    };
    let target = Target { name: "metadata", cases: 1_000, make: &make, check: &check };
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    target.run(&fixtures).unwrap();
}

/// The first byte of an input chooses the form of the rest: a text, the GraphQL of actions in a
/// folder, or the databases of one.
fn check(input: &[u8]) -> Result<(), String> {
    let Some((form, rest)) = input.split_first() else { return Ok(()) };
    let text = String::from_utf8_lossy(rest).into_owned();
    let folder = |file: &str| {
        let databases = ("databases/databases.yaml".to_owned(), "[]".to_owned());
        let files = [("version.yaml".to_owned(), "version: 3".to_owned()), databases];
        read_folder(&Folder::new(files.into_iter().chain([(file.to_owned(), text.clone())])))
    };
    let reading = match form {
        b't' => read_text("text", &text),
        b'g' => folder("actions.graphql"),
        b'i' => folder("databases/databases.yaml"),
        _ => return Ok(()),
    };
    let errors = errors(&reading);
    let Some(metadata) = reading.metadata else {
        return if errors.is_empty() { Err("there is no error".into()) } else { Ok(()) };
    };
    let json = metadata.to_json();
    let again = read_text("again", &json.compact());
    match again.metadata {
        Some(again) if again.to_json() == json => Ok(()),
        _ => Err(format!("{} is read as {:?}", json.compact(), again.problems)),
    }
}

fn errors(reading: &Reading) -> Vec<String> {
    reading.errors().map(ToString::to_string).collect()
}
