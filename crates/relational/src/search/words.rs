//! Words of a text, by the word boundaries of Unicode as Dgraph applies them.
//!
//! Letters and digits belong to one word, connectors such as `_` too. A single apostrophe, full stop
//! or colon between letters, or a comma between digits, belongs to the word around it. Each ideograph
//! is a word. <https://www.unicode.org/reports/tr29/#Word_Boundaries>

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use super::porter::stem;
use super::stop_words::is_stop_word;

/// Every character but separators, digits and those that are words in other ways.
macro_rules! letters {
    () => {
        concat!(
            r"[^\u0001-\u0040\u005b-\u0060\u007b-\u00a9\u00ab\u00ac\u00ae-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7",
            r"\u02c2-\u02c5\u02d2-\u02df\u037e\u0387\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05c6\u05f4",
            r"\u0600-\u060f\u061b\u061d-\u061f\u0660-\u066d\u06d4\u06f0-\u06f9\u0700-\u070d\u0964-\u0970\u0e4f\u0e5a\u0e5b",
            r"\u1360-\u1368\u1680\u17d4-\u17da\u1800-\u180a\u2000-\u200b\u200e-\u2070\u2074-\u207e\u2080-\u208e",
            r"\u20a0-\u20cf\u2116\u2117\u2120-\u2123\u2150-\u215f\u2190-\u24b5\u24ea-\u2bff\u2cf9-\u2cff\u2e00-\u303b",
            r"\u303d-\u309f\u30a0-\u30ff\u3190-\u319f\u31c0-\u4dbf\u4e00-\u9fff\ua490-\ua4c6\ue000-\ufaff",
            r"\ufd3e\ufd3f\ufe10-\ufe1f\ufe30-\ufe6f\uff00-\uff20\uff3b-\uff40\uff5b-\uff9f\uffe0-\uffff",
            r"\U0001d100-\U0001d1ff\U0001f000-\U0001faff\U00020000-\U0003ffff\U000e0000-\U000e0fff]",
        )
    };
}

macro_rules! digits {
    () => {
        r"[0-9\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19]"
    };
}

/// A word, in syntax that PostgreSQL has as well: the function `thalweg.words` contains the same
/// expression. Letters are all characters but those which are listed, so that no locale decides.
pub const WORD: &str = concat!(
    // Ideographs and Hiragana.
    r"[\u2e80-\u2fd5\u3005\u3007\u3021-\u3029\u3038-\u303b\u3041-\u3096\u309d-\u309f",
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]",
    // Katakana.
    r"|[\u3031-\u3035\u309b\u309c\u30a0-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d]+",
    r"|(?:",
    // Letters, and one character between two letters.
    letters!(),
    r"(?:['.:\u00b7\u0387\u05f4\u2018\u2019\u2024\u2027\uff07\uff0e\uff1a]",
    letters!(),
    r")*|",
    // Digits, and one character between two digits.
    digits!(),
    r"(?:['.,;\u037e\u0589\u060c\u060d\u066c\u2018\u2019\u2024\u2044\uff07\uff0c\uff0e\uff1b]",
    digits!(),
    r")*|",
    // Connectors.
    r"[_\u203f\u2040\uff3f])+",
);

static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(WORD).ok());

/// The words of a text in small letters, once each. A text without characters has one empty word.
#[must_use]
pub fn terms(text: &str) -> Vec<Box<str>> {
    if text.is_empty() {
        return vec!["".into()];
    }
    let mut seen = HashSet::new();
    words(text).filter(|word| seen.insert(word.clone())).collect()
}

/// The stems of the words of a text, in their order. Stop words have none.
#[must_use]
pub fn stems(text: &str) -> Vec<Box<str>> {
    words(text).filter(|word| !is_stop_word(word)).map(|word| stem(&word)).collect()
}

/// Sequences of so many stems, with spaces between them.
pub(super) fn sequences(stems: &[Box<str>], length: usize) -> impl Iterator<Item = Box<str>> {
    let windows = if length == 0 { [].windows(1) } else { stems.windows(length) };
    windows.map(|window| window.join(" ").into())
}

/// The words of a text in small letters, in their order.
pub(super) fn words(text: &str) -> impl Iterator<Item = Box<str>> {
    let found = WORDS.iter().flat_map(|words| words.find_iter(text));
    found.map(|word| normalized(word.as_str()))
}

fn normalized(word: &str) -> Box<str> {
    if word.is_ascii() {
        return word.to_ascii_lowercase().into();
    }
    // The small letter would have a dot of its own.
    word.replace('İ', "i").to_lowercase().nfkc().collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::{WORDS, stems, terms};

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let words: Vec<String> = terms(text).iter().map(ToString::to_string).collect();
        assert_eq!(words, expect, "{text}");
    }

    #[test]
    fn words_end_at_the_boundaries_of_unicode() {
        assert!(WORDS.is_some());
        check("Stemming works, works!", &["stemming", "works"]);
        check("e-mail foo_bar _x", &["e", "mail", "foo_bar", "_x"]);
        check("can't 'quoted' dogs'", &["can't", "quoted", "dogs"]);
        check("https://example.com/a?b=c", &["https", "example.com", "a", "b", "c"]);
        check("me@example.org.", &["me", "example.org"]);
        check("3.14 1,000 a,b 2nd 1:2", &["3.14", "1,000", "a", "b", "2nd", "1", "2"]);
        check("C++ #tag $5 100%", &["c", "tag", "5", "100"]);
        check("Ünïcode ΣΑΣ", &["ünïcode", "σας"]);
        check("ｆｕｌｌ ﬁsh", &["full", "fish"]);
        check("日本 カタカナ", &["日", "本", "カタカナ"]);
        check("naïve—dash…end\u{a0}x", &["naïve", "dash", "end", "x"]);
        check("a\u{1f600}b ½", &["a", "b"]);
    }

    #[test]
    fn stop_words_have_no_stems() {
        let stems: Vec<String> =
            stems("The cats don't run").iter().map(|s| s.to_string()).collect();
        assert_eq!(stems, ["cat", "run"]);
    }
}
