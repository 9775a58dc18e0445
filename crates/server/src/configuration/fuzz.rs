//! Fuzz test of the configuration file.

use std::path::Path;

use clap::CommandFactory;
use testkit::fuzz::{Choices, Target, mutate};

use super::file;
use super::keys::Keys;
use super::problem::Refused;
use crate::options::Arguments;

/// The value of an environment variable, which must not appear in messages.
const SECRET: &str = "vKq8#sesame#Zw3";

/// Tokens of TOML, of option values, and of the expansion of variables.
const PIECES: [&[u8]; 44] = [
    b"\n",
    b"\r\n",
    b"\t",
    b"=",
    b" = ",
    b"\"",
    b"'",
    b"\"\"\"",
    b"'''",
    b"[",
    b"]",
    b"[[limits]]\n",
    b"[limits]\n",
    b"{",
    b"}",
    b",",
    b".",
    b"#",
    b"\\",
    b"\\u0000",
    b"\\U00110000",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"${",
    b"${PASSWORD}",
    b"${PASSWORD:-}",
    b"${NOBODY:-1MiB}",
    b"${NOT_TEXT}",
    b"$$",
    b"true",
    b"-1",
    b"0x7fffffffffffffff",
    b"9223372036854775808",
    b"1e400",
    b"nan",
    b"-inf",
    b"1979-05-27T07:32:00Z",
    b"\"1 YiB\"",
    b"\"99999999999999999999h\"",
    b"\"18446744073709551615s\"",
    b"max-depth = ",
    b"source = \"postgres://shop:${PASSWORD}@db/shop\"\n",
    b"schema = [\"a\", \"b\"]\n",
];

#[test]
fn whatever_a_file_says_is_read_or_refused_in_words_that_tell_no_secret() {
    let keys = Keys::of(&Arguments::command());
    let make = |choices: &mut Choices<'_>, seeds: &[Vec<u8>]| {
        let mut text = choices.pick(seeds).cloned().unwrap_or_default();
        mutate::mutate(&mut text, &PIECES, choices);
        text
    };
    let check = |input: &[u8]| match std::str::from_utf8(input) {
        Ok(text) => check(text, &keys),
        // Reading the file fails before it is looked into.
        Err(_) => Ok(()),
    };
    let target = Target { name: "configuration", cases: 2_000, make: &make, check: &check };
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    if let Err(error) = target.run(&fixtures) {
        panic!("{error}");
    }
}

fn check(text: &str, keys: &Keys) -> Result<(), String> {
    let variable = |name: &str| match name {
        "PASSWORD" => Ok(Some(SECRET.to_owned())),
        "NOT_TEXT" => Err(super::expand::NotText),
        _ => Ok(None),
    };
    match file::parse(Path::new("thalweg.toml"), text, keys, &variable) {
        Ok(entries) => {
            let unknown = entries.0.keys().find(|name| keys.find(name).is_none());
            unknown.map_or(Ok(()), |name| Err(format!("`{name}` is read, and no option has it")))
        }
        Err(refused) => check_refusal(text, &refused),
    }
}

fn check_refusal(text: &str, refused: &Refused) -> Result<(), String> {
    let shown = refused.to_string();
    if refused.problems.is_empty() || refused.problems.iter().any(|found| found.message.is_empty())
    {
        return Err(format!("refused without a reason: {shown}"));
    }
    if shown.contains(SECRET) {
        return Err(format!("a secret is shown: {shown}"));
    }
    let lines = text.split('\n').count();
    let is_outside = |line| line == 0 || line > lines;
    match refused.problems.iter().find(|found| is_outside(found.position.line)) {
        Some(found) => Err(format!("line {} of {lines}: {shown}", found.position.line)),
        None => Ok(()),
    }
}
