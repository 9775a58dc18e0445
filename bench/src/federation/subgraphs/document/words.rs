//! The words of a document.

use super::DocumentError;

/// One of them; commas, spaces and comments are none.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Word<'t> {
    Name(&'t str),
    /// A number as it is written.
    Number(&'t str),
    Text(String),
    Mark(char),
    /// `...`
    Dots,
}

const MARKS: &str = "!$&():=@[]{}|";

pub(super) fn words(text: &str) -> Result<Vec<Word<'_>>, DocumentError> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let (word, length) = match letter {
            ' ' | '\t' | '\n' | '\r' | ',' | '\u{feff}' => (None, letter.len_utf8()),
            '#' => (None, rest.find('\n').unwrap_or(rest.len())),
            '.' if rest.starts_with("...") => (Some(Word::Dots), 3),
            '"' => {
                let (text, length) = string(rest)?;
                (Some(Word::Text(text)), length)
            }
            '_' | 'a'..='z' | 'A'..='Z' => {
                let name =
                    beginning(rest, |letter| letter.is_ascii_alphanumeric() || letter == '_');
                (Some(Word::Name(name)), name.len())
            }
            '-' | '0'..='9' => {
                let number = beginning(rest, |letter| {
                    letter.is_ascii_digit() || matches!(letter, '-' | '+' | '.' | 'e' | 'E')
                });
                (Some(Word::Number(number)), number.len())
            }
            mark if MARKS.contains(mark) => (Some(Word::Mark(mark)), 1),
            other => return Err(DocumentError::Letter(other)),
        };
        words.extend(word);
        rest = rest.get(length..).unwrap_or_default();
    }
    Ok(words)
}

fn beginning(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    let end = text.find(|letter| !belongs(letter)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// GraphQL's escapes are those of JSON, but for `\u{…}`, which no gateway sends.
fn string(text: &str) -> Result<(String, usize), DocumentError> {
    if text.starts_with("\"\"\"") {
        return Err(DocumentError::Block);
    }
    let mut is_escaped = false;
    let end = text.char_indices().skip(1).find(|(_, letter)| {
        let is_end = *letter == '"' && !is_escaped;
        is_escaped = *letter == '\\' && !is_escaped;
        is_end
    });
    let (end, _) = end.ok_or(DocumentError::End)?;
    let quoted = text.get(..=end).ok_or(DocumentError::End)?;
    let text = serde_json::from_str(quoted).map_err(|_| DocumentError::Letter('"'))?;
    Ok((text, quoted.len()))
}
