//! Messages without the passwords of addresses.
//!
//! A refused value appears in the message of a parser or of the system, whichever option it was given
//! to: an address may be given for a number, or for one of several words.

use std::cmp::Reverse;
use std::env;

/// Prefixes of environment variables whose values may appear in messages.
const VARIABLES: [&str; 7] = ["THALWEG_", "OTEL_", "PG", "APOLLO_", "HIVE_", "AWS_", "HASURA_"];

/// The end of a scheme in a URL.
const SCHEME_END: &str = "://";

/// Hides the passwords of addresses from the command line, the environment and files in a message.
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
    // One part may contain another.
    hidden.sort_by_key(|(part, _)| Reverse(part.len()));
    let mut shown = message.to_owned();
    for (part, instead) in &hidden {
        if shown.contains(part.as_str()) {
            shown = shown.replace(part.as_str(), instead);
        }
    }
    without_users(&shown)
}

/// A word of a command line, with the values that it may contain.
fn parts(word: &str) -> Vec<&str> {
    let value = word.split_once('=').map(|(_, value)| value);
    let short = word.strip_prefix('-').and_then(|rest| rest.get(1..));
    let whole = [Some(word), value, short].into_iter().flatten();
    whole.flat_map(|text| [text].into_iter().chain(text.split(','))).collect()
}

/// A value without its password.
pub(super) fn shown(value: &str) -> String {
    hidden(value).unwrap_or_else(|| value.to_owned())
}

/// The text without its password, if it is an address with one.
fn hidden(text: &str) -> Option<String> {
    let is_address = ["@", "//", "password"].iter().any(|part| text.contains(part));
    let shown = redact::address(text);
    (is_address && shown != text).then(|| shown.into_owned())
}

/// Hides the text between `://` and `@` in each word.
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
        // An address from a file, which is not known here.
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
