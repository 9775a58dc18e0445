//! Messages without the passwords of addresses that the program was given.
//!
//! A value that is refused stands in a message of the parser or of the system, whichever option it
//! was given to: an address may stand where a number is wanted, or beside the words that are wanted.

use std::cmp::Reverse;
use std::env;

/// Variables of the environment whose values may stand in messages.
const VARIABLES: [&str; 3] = ["THALWEG_", "OTEL_", "PG"];

/// What ends the name of a scheme.
const SCHEME_END: &str = "://";

/// A message in which the addresses of the command line, of the environment and of files have no
/// password.
pub(crate) fn redacted(message: &str) -> String {
    let is_own = |name: &str| VARIABLES.iter().any(|prefix| name.starts_with(prefix));
    let variables = env::vars_os().filter(|(name, _)| is_own(&name.to_string_lossy()));
    let words = env::args_os().skip(1).chain(variables.map(|(_, value)| value));
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    redacted_of(message, &words)
}

fn redacted_of(message: &str, words: &[String]) -> String {
    let hidden = |part: &str| Some((part.to_owned(), hidden(part)?));
    let mut hidden: Vec<_> = words.iter().flat_map(|word| parts(word)).filter_map(hidden).collect();
    // A part of one may be another.
    hidden.sort_by_key(|(part, _)| Reverse(part.len()));
    let mut shown = message.to_owned();
    for (part, instead) in &hidden {
        if shown.contains(part.as_str()) {
            shown = shown.replace(part.as_str(), instead);
        }
    }
    without_users(&shown)
}

/// A word of a command line, and the values that are read of it.
fn parts(word: &str) -> Vec<&str> {
    let value = word.split_once('=').map(|(_, value)| value);
    let short = word.strip_prefix('-').and_then(|rest| rest.get(1..));
    let whole = [Some(word), value, short].into_iter().flatten();
    whole.flat_map(|text| [text].into_iter().chain(text.split(','))).collect()
}

/// A value as it may be shown.
pub(super) fn shown(value: &str) -> String {
    hidden(value).unwrap_or_else(|| value.to_owned())
}

/// What is shown of a text that is meant as an address, if that is another text.
fn hidden(text: &str) -> Option<String> {
    let is_address = ["@", "//", "password"].iter().any(|part| text.contains(part));
    let shown = redact::address(text);
    (is_address && shown != text).then(|| shown.into_owned())
}

/// Hides what stands between `://` and an `@` in each word.
fn without_users(message: &str) -> String {
    let words = message.split_inclusive(char::is_whitespace);
    let hide = |word: &str| match (word.find(SCHEME_END), word.rfind('@')) {
        (Some(scheme), Some(at)) if scheme + SCHEME_END.len() < at => {
            [&word[..scheme + SCHEME_END.len()], redact::HIDDEN, &word[at..]].concat()
        }
        _ => word.to_owned(),
    };
    words.map(hide).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_was_given_has_no_password_in_messages() {
        let check = |words: &[&str], message: &str, expected: &str| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(redacted_of(message, &words), expected, "{words:?}");
        };
        let address = "postgres://u:SECRET@h/d";
        check(
            &[address],
            &format!("invalid value '{address}' for"),
            "invalid value 'postgres://…@h/d' for",
        );
        check(&["--listen=u:SECRET@h"], "'u:SECRET@h' and 'u:SECRET@h'", "'u:…@h' and 'u:…@h'");
        check(&["a,postgres//u:SEC RET@h,b"], "`postgres//u:SEC RET@h`", "`postgres//…@h`");
        check(&["-cu:SECRET@h"], "cannot read u:SECRET@h: no", "cannot read u:…@h: no");
        check(&["host=h password=SECRET"], "'host=h password=SECRET'", "'host=h password=…'");
        // An address of a file, which is not known here.
        check(
            &[],
            &format!("t.toml:1: `{address}` is none"),
            "t.toml:1: `postgres://…@h/d` is none",
        );
        for same in [
            "`a.b=foo` is none of bigint",
            "a tip: @requires, mail@example",
            "http://127.0.0.1:4000/graphql is used",
            "",
        ] {
            check(&["--stored-as", "a.b=foo", "/data/shop.db"], same, same);
        }
    }
}
