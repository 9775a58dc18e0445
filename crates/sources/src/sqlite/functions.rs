//! Functions that statements need and SQLite lacks. Its own `lower` and `LIKE` know the letters of
//! ASCII only, and times with a zone are texts to it.

use std::borrow::Cow;

use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;

use super::json::{Json, read};
use super::moment::{clock, instant, zoned_clock};

/// Defines the functions. They depend on their arguments alone.
pub(super) fn add(connection: &Connection) -> Result<(), rusqlite::Error> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function(sql::flavor::FOLD, 1, flags, |arguments| {
        Ok(text(arguments, 0).map(|text| fold(&text)))
    })?;
    for (name, read) in [
        (sql::flavor::INSTANT, instant as fn(&str) -> Option<i64>),
        (sql::flavor::CLOCK, clock),
        (sql::flavor::ZONED_CLOCK, zoned_clock),
    ] {
        connection.create_scalar_function(name, 1, flags, move |arguments| {
            Ok(text(arguments, 0).and_then(|text| read(&text)))
        })?;
    }
    connection.create_scalar_function(sql::flavor::JSON_CONTENT, 1, flags, |arguments| {
        Ok(json(arguments, 0).map(|json| json.canonical()))
    })?;
    connection.create_scalar_function(sql::flavor::JSON_CONTAINS, 2, flags, |arguments| {
        let both = json(arguments, 0).zip(json(arguments, 1));
        Ok(both.map(|(json, other)| json.contains(&other)))
    })?;
    connection.create_scalar_function(sql::flavor::JSON_HAS_KEY, 2, flags, |arguments| {
        let both = json(arguments, 0).zip(text(arguments, 1));
        Ok(both.map(|(json, key)| json.has_key(&key)))
    })?;
    connection.create_scalar_function(sql::flavor::JSON_HAS_ANY_KEY, 2, flags, |arguments| {
        let both = json(arguments, 0).zip(json(arguments, 1));
        Ok(both.map(|(json, keys)| keys.texts().any(|key| json.has_key(key))))
    })?;
    connection.create_scalar_function(sql::flavor::JSON_HAS_ALL_KEYS, 2, flags, |arguments| {
        let both = json(arguments, 0).zip(json(arguments, 1));
        Ok(both.map(|(json, keys)| keys.texts().all(|key| json.has_key(key))))
    })?;
    connection.create_scalar_function(sql::flavor::LIKE_IGNORING_CASE, 2, flags, |arguments| {
        let (text, pattern) = (text(arguments, 0), text(arguments, 1));
        Ok(text.zip(pattern).map(|(text, pattern)| is_like(&fold(&text), &fold(&pattern))))
    })
}

/// An argument as text, numbers as SQLite prints them; none where it is null or no text at all.
fn text<'c>(arguments: &'c Context<'_>, place: usize) -> Option<Cow<'c, str>> {
    match arguments.get_raw(place) {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(Cow::Owned(number.to_string())),
        ValueRef::Real(number) => Some(Cow::Owned(format!("{number:?}"))),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            std::str::from_utf8(bytes).ok().map(Cow::Borrowed)
        }
    }
}

/// An argument as JSON; none where it is null or cannot be read.
fn json(arguments: &Context<'_>, place: usize) -> Option<Json> {
    read(&text(arguments, place)?)
}

/// Text in small letters, each by itself, as PostgreSQL has them under a locale of UTF-8: one
/// letter stays one letter, so that `_` of a pattern matches it.
fn fold(text: &str) -> String {
    text.chars().map(small).collect()
}

fn small(letter: char) -> char {
    let mut letters = letter.to_lowercase();
    // Of the letters only İ becomes two, the second of them a dot above the first.
    letters.next().unwrap_or(letter)
}

/// Whether a text matches a LIKE pattern with `\` as its escape.
fn is_like(text: &str, pattern: &str) -> bool {
    let (mut text, mut pattern) = (text.chars(), pattern.chars());
    // Where to go on after the last `%`, if what follows does not match.
    let mut again: Option<(std::str::Chars<'_>, std::str::Chars<'_>)> = None;
    loop {
        let matches = match pattern.next() {
            Some('%') => {
                again = Some((text.clone(), pattern.clone()));
                continue;
            }
            None if text.as_str().is_empty() => return true,
            None => false,
            Some('_') => text.next().is_some(),
            Some('\\') => pattern.next().is_some_and(|letter| text.next() == Some(letter)),
            Some(letter) => text.next() == Some(letter),
        };
        if matches {
            continue;
        }
        // The last `%` takes one letter more. An earlier one need not: what stands between the
        // two has matched as early as it can.
        let Some((mut later, after)) = again else { return false };
        if later.next().is_none() {
            return false;
        }
        text = later.clone();
        pattern = after.clone();
        again = Some((later, after));
    }
}

#[cfg(test)]
mod tests {
    use super::{fold, is_like};

    #[test]
    fn letters_beyond_ascii_have_small_ones() {
        let check = |text: &str, expect: &str| assert_eq!(fold(text), expect);
        check("ÄÖÜ ß Éa", "äöü ß éa");
        check("ΣΑΣ", "σας".replace('ς', "σ").as_str());
        check("ЖЪ", "жъ");
        check("İ", "i");
    }

    #[test]
    fn patterns_match_as_those_of_postgresql() {
        let check = |text: &str, pattern: &str, expect: bool| {
            assert_eq!(is_like(text, pattern), expect, "{text} {pattern}");
        };
        check("", "", true);
        check("", "%", true);
        check("a", "", false);
        check("abc", "abc", true);
        check("abc", "a_c", true);
        check("abc", "a%", true);
        check("abc", "%c", true);
        check("abc", "%b%", true);
        check("abc", "b%", false);
        check("abc", "a_", false);
        check("aXbXc", "a%X_", true);
        check("aab", "%ab", true);
        check("abab", "%ab%ab", true);
        check("aba", "%ab%ab", false);
        check("100%", "100\\%", true);
        check("1000", "100\\%", false);
        check("a_b", "a\\_b", true);
        check("a\\b", "a\\\\b", true);
        check("é", "_", true);
        check("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "%a%a%a%a%a%a%a%a%ac", false);
    }
}
