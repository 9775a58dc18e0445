//! Expressions in PostgreSQL's syntax. Characters are numbers and classes are ranges, so that neither
//! a locale nor an option decides. <https://www.postgresql.org/docs/current/functions-matching.html>

use std::fmt::Write as _;

use regex_syntax::hir::{Class, Hir, HirKind, Look};
use source::SourceError;

/// The most repetitions that PostgreSQL takes.
const REPETITIONS: u32 = 255;

/// The letters of words, as a class.
const LETTERS: &str = "[0-9A-Za-z_]";

pub(super) fn print(hir: &Hir) -> Result<String, SourceError> {
    let mut out = String::new();
    write(hir, &mut out)?;
    Ok(out)
}

fn write(hir: &Hir, out: &mut String) -> Result<(), SourceError> {
    match hir.kind() {
        HirKind::Empty => out.push_str("(?:)"),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).map_err(|_| untranslated("bytes"))?;
            text.chars().for_each(|letter| character(letter, out));
        }
        HirKind::Class(class) => write_class(class, out)?,
        HirKind::Look(look) => write_look(*look, out)?,
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or_default();
            if repetition.min.max(most) > REPETITIONS {
                return Err(untranslated("more than 255 repetitions"));
            }
            group(&repetition.sub, out)?;
            match (repetition.min, repetition.max) {
                (0, None) => out.push('*'),
                (1, None) => out.push('+'),
                (0, Some(1)) => out.push('?'),
                (min, None) => push(out, format_args!("{{{min},}}")),
                (min, Some(max)) => push(out, format_args!("{{{min},{max}}}")),
            }
        }
        HirKind::Capture(capture) => group(&capture.sub, out)?,
        HirKind::Concat(parts) => {
            for part in parts {
                write(part, out)?;
            }
        }
        HirKind::Alternation(parts) => {
            out.push_str("(?:");
            for (index, part) in parts.iter().enumerate() {
                if index > 0 {
                    out.push('|');
                }
                write(part, out)?;
            }
            out.push(')');
        }
    }
    Ok(())
}

fn group(hir: &Hir, out: &mut String) -> Result<(), SourceError> {
    out.push_str("(?:");
    write(hir, out)?;
    out.push(')');
    Ok(())
}

fn write_class(class: &Class, out: &mut String) -> Result<(), SourceError> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => {
            class.ranges().iter().map(|range| (range.start(), range.end())).collect()
        }
        Class::Bytes(class) if class.is_ascii() => {
            class.ranges().iter().map(|range| (range.start().into(), range.end().into())).collect()
        }
        Class::Bytes(_) => return Err(untranslated("bytes")),
    };
    // No text has a zero.
    let ranges = ranges.iter().filter(|(_, end)| *end > '\0');
    let start = out.len();
    out.push('[');
    for (first, last) in ranges {
        number((*first).max('\u{1}'), out);
        if first != last {
            if u32::from(*last) - u32::from(*first) > 1 {
                out.push('-');
            }
            number(*last, out);
        }
    }
    if out.len() == start + 1 {
        return Err(untranslated("a class without characters"));
    }
    out.push(']');
    Ok(())
}

fn write_look(look: Look, out: &mut String) -> Result<(), SourceError> {
    match look {
        Look::Start => out.push_str(r"\A"),
        Look::End => out.push_str(r"\Z"),
        Look::StartLF => out.push_str(r"(?:\A|(?<=\u000a))"),
        Look::EndLF => out.push_str(r"(?:\Z|(?=\u000a))"),
        Look::WordAscii => {
            push(out, format_args!("(?:(?<!{LETTERS})(?={LETTERS})|(?<={LETTERS})(?!{LETTERS}))"))
        }
        _ => return Err(untranslated("this assertion")),
    }
    Ok(())
}

fn character(letter: char, out: &mut String) {
    match letter.is_ascii_alphanumeric() {
        true => out.push(letter),
        false => number(letter, out),
    }
}

/// A character by its number.
fn number(letter: char, out: &mut String) {
    let code = u32::from(letter);
    match code {
        0..=0xffff => push(out, format_args!("\\u{code:04x}")),
        _ => push(out, format_args!("\\U{code:08x}")),
    }
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(text);
}

fn untranslated(part: &str) -> SourceError {
    SourceError::input(format!("PostgreSQL does not support {part} in regular expressions"))
}
