//! The scanner: the text of a schema file to tokens.

use crate::mistake::{At, Collected};

/// A token with its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) at: At,
    pub(crate) kind: TokenKind,
}

/// Kinds of tokens. Comments are none, but for documentation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    Word(String),
    Text(String),
    Number(String),
    Sign(char),
    /// `@@`
    DoubleAt,
    Documentation(String),
    NewLine,
    End,
}

/// The tokens of a file, which end with [`TokenKind::End`].
pub(crate) fn scan(file: usize, text: &str, mistakes: &mut Collected) -> Vec<Token> {
    let mut scanner = Scanner { file, text, offset: 0, tokens: Vec::new(), mistakes };
    // A byte order mark.
    scanner.offset = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while let Some(first) = scanner.rest().chars().next() {
        scanner.token(first);
    }
    scanner.push(text.len(), TokenKind::NewLine);
    scanner.push(text.len(), TokenKind::End);
    scanner.tokens
}

struct Scanner<'t, 'm> {
    file: usize,
    text: &'t str,
    offset: usize,
    tokens: Vec<Token>,
    mistakes: &'m mut Collected,
}

impl Scanner<'_, '_> {
    fn rest(&self) -> &str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    fn push(&mut self, offset: usize, kind: TokenKind) {
        let at = At { file: self.file, offset };
        self.tokens.push(Token { at, kind });
    }

    fn mistake(&mut self, offset: usize, message: &str) {
        self.mistakes.add(At { file: self.file, offset }, message);
    }

    fn token(&mut self, first: char) {
        let start = self.offset;
        let rest = self.rest();
        if let Some(comment) = rest.strip_prefix("//") {
            let line = comment.split(['\n', '\r']).next().unwrap_or_default();
            let end = start + "//".len() + line.len();
            let documentation = line.strip_prefix('/').map(|text| text.trim().to_owned());
            self.offset = end;
            if let Some(text) = documentation {
                self.push(start, TokenKind::Documentation(text));
            }
        } else if rest.starts_with("/*") {
            match rest.find("*/") {
                Some(end) => self.offset += end + "*/".len(),
                None => {
                    self.offset = self.text.len();
                    self.mistake(start, "the comment has no end: write `*/`.");
                }
            }
        } else if rest.starts_with("@@") {
            self.offset += "@@".len();
            self.push(start, TokenKind::DoubleAt);
        } else if first == '\n' || first == '\r' {
            self.offset += if rest.starts_with("\r\n") { 2 } else { 1 };
            self.push(start, TokenKind::NewLine);
        } else if first.is_whitespace() {
            self.offset += first.len_utf8();
        } else if first == '"' {
            self.string();
        } else if first.is_ascii_digit() || (first == '-' && starts_with_digit(&rest[1..])) {
            let length = rest[1..].find(|one: char| !(one.is_ascii_alphanumeric() || one == '.'));
            let length = length.map_or(rest.len(), |length| length + 1);
            let digits = rest[..length].to_owned();
            self.offset += length;
            self.push(start, TokenKind::Number(digits));
        } else if first.is_alphabetic() || first == '_' {
            let is_part = |one: char| one.is_alphanumeric() || matches!(one, '_' | '-');
            let length = rest.find(|one| !is_part(one)).unwrap_or(rest.len());
            let word = rest[..length].to_owned();
            self.offset += length;
            self.push(start, TokenKind::Word(word));
        } else {
            self.offset += first.len_utf8();
            match first {
                '{' | '}' | '(' | ')' | '[' | ']' | ',' | ':' | '.' | '=' | '?' | '@' | '!' => {
                    self.push(start, TokenKind::Sign(first));
                }
                _ => self.mistake(start, &format!("`{first}` has no meaning here: remove it.")),
            }
        }
    }

    fn string(&mut self) {
        let start = self.offset;
        let mut value = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        let mut unknown = None;
        let end = loop {
            match characters.next() {
                Some((place, '"')) => break Some(place + 1),
                Some((place, '\\')) => match characters.next() {
                    Some((_, 'n')) => value.push('\n'),
                    Some((_, 'r')) => value.push('\r'),
                    Some((_, 't')) => value.push('\t'),
                    Some((_, 'b')) => value.push('\u{8}'),
                    Some((_, 'f')) => value.push('\u{c}'),
                    Some((_, kept @ ('"' | '\\' | '/'))) => value.push(kept),
                    Some((_, 'u')) => {
                        let digits: String =
                            (0..4).map_while(|_| characters.next()).map(|(_, one)| one).collect();
                        let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                        match code.filter(|_| digits.chars().all(|one| one.is_ascii_hexdigit())) {
                            Some(code) => value.push(code),
                            None => unknown = unknown.or(Some(place)),
                        }
                    }
                    Some((_, '\n' | '\r')) | None => break None,
                    Some(_) => unknown = unknown.or(Some(place)),
                },
                Some((_, '\n' | '\r')) | None => break None,
                Some((_, one)) => value.push(one),
            }
        };
        match end {
            Some(end) => {
                self.offset += end;
                self.push(start, TokenKind::Text(value));
                if let Some(place) = unknown {
                    self.mistake(
                        start + place,
                        "the escape is none of a string: write `\\\\` for a backslash.",
                    );
                }
            }
            None => {
                let line = self.rest().find(['\n', '\r']).unwrap_or(self.rest().len());
                self.offset += line;
                self.mistake(start, "the string has no end: write `\"` on its line.");
            }
        }
    }
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|one: char| one.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[TokenKind], messages: usize) {
        let mut mistakes = Collected::default();
        let tokens = scan(0, text, &mut mistakes);
        let kinds: Vec<_> = tokens.into_iter().map(|token| token.kind).collect();
        let ends = [TokenKind::NewLine, TokenKind::End];
        assert_eq!(kinds, [expected, &ends].concat(), "{text:?}");
        assert_eq!(mistakes.into_mistakes(&[]).0.len(), messages, "{text:?}");
    }

    #[test]
    fn texts_become_tokens() {
        use TokenKind::{Documentation, DoubleAt, NewLine, Number, Sign, Text, Word};
        let word = |text: &str| Word(text.into());
        check("model Über-x", &[word("model"), word("Über-x")], 0);
        check(
            "@@map(\"a\\\"\\u00e9\\n\")",
            &[DoubleAt, word("map"), Sign('('), Text("a\"é\n".into()), Sign(')')],
            0,
        );
        check("-1.5 20", &[Number("-1.5".into()), Number("20".into())], 0);
        check(
            "a // b\r\n/// c \n/* d\n */e",
            &[word("a"), NewLine, Documentation("c".into()), NewLine, word("e")],
            0,
        );
    }

    #[test]
    fn what_is_no_token_is_told() {
        use TokenKind::{NewLine, Text, Word};
        check("a $ b", &[Word("a".into()), Word("b".into())], 1);
        check("\"a\nb", &[NewLine, Word("b".into())], 1);
        check("\"\\x\\u12\"", &[], 1);
        check("\"\\x\"", &[Text(String::new())], 1);
        check("/* a", &[], 1);
        check("\"", &[], 1);
        check("\"\\", &[], 1);
    }
}
