//! How texts match, by the plainest means.

use super::model::Letters;

/// Whether a text matches a LIKE pattern with `\` as its escape.
pub(super) fn is_like(text: &[char], pattern: &[char]) -> bool {
    match pattern {
        [] => text.is_empty(),
        ['%', rest @ ..] => (0..=text.len()).any(|skipped| is_like(&text[skipped..], rest)),
        ['_', rest @ ..] => !text.is_empty() && is_like(&text[1..], rest),
        ['\\', letter, rest @ ..] | [letter, rest @ ..] => {
            text.first() == Some(letter) && is_like(&text[1..], rest)
        }
    }
}

/// A text without regard to case.
pub(super) fn fold(text: &str, letters: Letters) -> String {
    match letters {
        Letters::OfAscii => text.to_ascii_lowercase(),
        Letters::OfUnicode => text.to_lowercase(),
    }
}
