//! Text to tokens.

/// A part of an interpolated text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Text(String),
    /// The text of an expression.
    Source(String),
}

#[derive(Debug, Clone)]
pub(super) enum TokenKind {
    Name(String),
    /// An operator or a sign: `=>`, `.`, `(`.
    Sign(String),
    Int(i64),
    Float(f64),
    Text(String),
    Interpolated(Vec<Part>),
    Symbol(String),
    End,
}

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    /// It is the first of its line.
    pub(super) starts_line: bool,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Token {
    pub(super) fn is(&self, text: &str) -> bool {
        match &self.kind {
            TokenKind::Name(name) | TokenKind::Sign(name) => name == text,
            _ => false,
        }
    }

    pub(super) fn name(&self) -> Option<&str> {
        match &self.kind {
            TokenKind::Name(name) => Some(name),
            _ => None,
        }
    }
}

const BRACKETS: &str = "()[]{},;.";
const OPERATORS: &str = "!#%&*+-/:<=>?@\\^|~";

/// Tokens of a text, with one for its end. The error is a sentence.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0, starts_line: true };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.token()?;
        let is_end = matches!(token.kind, TokenKind::End);
        tokens.push(token);
        if is_end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    starts_line: bool,
}

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn looks_at(&self, text: &str) -> bool {
        self.bytes[self.at..].starts_with(text.as_bytes())
    }

    fn skip_space(&mut self) -> Result<(), String> {
        loop {
            if self.looks_at("//") {
                while self.at < self.bytes.len() && self.byte(0) != b'\n' {
                    self.at += 1;
                }
            } else if self.looks_at("/*") {
                let end = self.text[self.at..].find("*/").ok_or("a comment does not end")?;
                self.at += end + 2;
            } else if self.at < self.bytes.len() && self.byte(0).is_ascii_whitespace() {
                self.starts_line |= self.byte(0) == b'\n';
                self.at += 1;
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Token, String> {
        self.skip_space()?;
        let start = self.at;
        let starts_line = std::mem::take(&mut self.starts_line);
        let kind = self.kind()?;
        Ok(Token { kind, starts_line, start, end: self.at })
    }

    fn kind(&mut self) -> Result<TokenKind, String> {
        let Some(first) = self.text[self.at..].chars().next() else { return Ok(TokenKind::End) };
        if first == '"' {
            return self.text_literal().map(TokenKind::Text);
        }
        if first.is_ascii_digit() {
            return Ok(self.number());
        }
        if first.is_alphabetic() || first == '_' || first == '$' {
            let name = self.name();
            if self.byte(0) == b'"' && matches!(name.as_str(), "s" | "f" | "raw" | "sql" | "sqlu") {
                return self.interpolated().map(TokenKind::Interpolated);
            }
            return Ok(TokenKind::Name(name));
        }
        if first == '`' {
            let rest = &self.text[self.at + 1..];
            let end = rest.find('`').ok_or("a quoted name does not end")?;
            self.at += end + 2;
            return Ok(TokenKind::Name(rest[..end].to_owned()));
        }
        if first == '\'' {
            return self.character();
        }
        if BRACKETS.contains(first) {
            self.at += 1;
            return Ok(TokenKind::Sign(first.to_string()));
        }
        let start = self.at;
        while self.at < self.bytes.len()
            && OPERATORS.contains(self.byte(0) as char)
            && !(self.at > start && (self.looks_at("//") || self.looks_at("/*")))
        {
            self.at += 1;
        }
        if self.at == start {
            return match first {
                '⇒' => {
                    self.at += first.len_utf8();
                    Ok(TokenKind::Sign("=>".into()))
                }
                _ => Err(format!("unknown character {first:?} at byte {start}")),
            };
        }
        Ok(TokenKind::Sign(self.text[start..self.at].to_owned()))
    }

    fn name(&mut self) -> String {
        let start = self.at;
        for character in self.text[start..].chars() {
            if !(character.is_alphanumeric() || character == '_' || character == '$') {
                break;
            }
            self.at += character.len_utf8();
        }
        // `name_!` and `name_?`
        if self.text[start..self.at].ends_with('_') {
            while matches!(self.byte(0), b'!' | b'?' | b'=') && self.byte(1) != b'=' {
                self.at += 1;
            }
        }
        self.text[start..self.at].to_owned()
    }

    fn number(&mut self) -> TokenKind {
        let start = self.at;
        if self.looks_at("0x") {
            self.at += 2;
            while self.byte(0).is_ascii_hexdigit() {
                self.at += 1;
            }
            let value = i64::from_str_radix(&self.text[start + 2..self.at], 16);
            return TokenKind::Int(value.unwrap_or(i64::MAX));
        }
        let mut is_float = false;
        loop {
            match self.byte(0) {
                b'0'..=b'9' => {}
                b'.' if self.byte(1).is_ascii_digit() => is_float = true,
                b'e' | b'E' if matches!(self.byte(1), b'0'..=b'9' | b'-') => {
                    is_float = true;
                    self.at += 1;
                }
                _ => break,
            }
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        if matches!(self.byte(0), b'L' | b'l') {
            self.at += 1;
        } else if matches!(self.byte(0), b'f' | b'F' | b'd' | b'D') {
            is_float = true;
            self.at += 1;
        }
        if is_float {
            TokenKind::Float(text.parse().unwrap_or(f64::NAN))
        } else {
            text.parse().map_or_else(|_| TokenKind::Float(f64::NAN), TokenKind::Int)
        }
    }

    /// `'c'`, or the symbol `'name`.
    fn character(&mut self) -> Result<TokenKind, String> {
        let rest = &self.text[self.at + 1..];
        let mut characters = rest.chars();
        let first = characters.next().ok_or("a character does not end")?;
        if first == '\\' {
            let end = rest[2..].find('\'').ok_or("a character does not end")? + 2;
            let content = unescape(&rest[..end])?;
            self.at += end + 2;
            return Ok(TokenKind::Text(content));
        }
        if characters.next() == Some('\'') {
            self.at += first.len_utf8() + 2;
            return Ok(TokenKind::Text(first.to_string()));
        }
        self.at += 1;
        Ok(TokenKind::Symbol(self.name()))
    }

    fn text_literal(&mut self) -> Result<String, String> {
        if self.looks_at("\"\"\"") {
            self.at += 3;
            let start = self.at;
            let end = self.end_of_long_text()?;
            return Ok(self.text[start..end].to_owned());
        }
        self.at += 1;
        let start = self.at;
        while self.byte(0) != b'"' {
            if self.at >= self.bytes.len() || self.byte(0) == b'\n' {
                return Err(format!("a text does not end, at byte {start}"));
            }
            self.at += if self.byte(0) == b'\\' { 2 } else { 1 };
        }
        let content = unescape(&self.text[start..self.at])?;
        self.at += 1;
        Ok(content)
    }

    /// Goes past the quotes, and returns the end of the content: more than three quotes belong to
    /// it but for the last three.
    fn end_of_long_text(&mut self) -> Result<usize, String> {
        let found = self.text[self.at..].find("\"\"\"").ok_or("a long text does not end")?;
        self.at += found + 3;
        while self.byte(0) == b'"' {
            self.at += 1;
        }
        Ok(self.at - 3)
    }

    fn interpolated(&mut self) -> Result<Vec<Part>, String> {
        let is_long = self.looks_at("\"\"\"");
        self.at += if is_long { 3 } else { 1 };
        let mut parts = Vec::new();
        let mut start = self.at;
        loop {
            if self.at >= self.bytes.len() {
                return Err("an interpolated text does not end".into());
            }
            let ends = if is_long {
                self.looks_at("\"\"\"") && self.byte(3) != b'"'
            } else {
                self.byte(0) == b'"'
            };
            if ends {
                parts.push(Part::Text(unescape(&self.text[start..self.at])?));
                self.at += if is_long { 3 } else { 1 };
                return Ok(parts);
            }
            if self.byte(0) == b'\\' {
                self.at += 2;
                continue;
            }
            if self.byte(0) != b'$' {
                self.at += 1;
                continue;
            }
            let before = unescape(&self.text[start..self.at])?;
            if self.byte(1) == b'$' {
                parts.push(Part::Text(before + "$"));
                self.at += 2;
            } else if self.byte(1) == b'{' {
                parts.push(Part::Text(before));
                self.at += 2;
                let begin = self.at;
                self.skip_braces()?;
                parts.push(Part::Source(self.text[begin..self.at - 1].to_owned()));
            } else {
                parts.push(Part::Text(before));
                self.at += 1;
                let length = self.text[self.at..]
                    .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .unwrap_or(self.text.len() - self.at);
                let name = self.text[self.at..self.at + length].to_owned();
                self.at += length;
                parts.push(Part::Source(name));
            }
            start = self.at;
        }
    }

    /// Goes past the brace that closes an opened one.
    fn skip_braces(&mut self) -> Result<(), String> {
        let mut depth = 1;
        while depth > 0 {
            self.skip_space()?;
            match self.token()?.kind {
                TokenKind::Sign(sign) if sign == "{" => depth += 1,
                TokenKind::Sign(sign) if sign == "}" => depth -= 1,
                TokenKind::End => return Err("an interpolated value does not end".into()),
                _ => {}
            }
        }
        self.starts_line = false;
        Ok(())
    }
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        out.push(match characters.next() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some(same @ ('"' | '\'' | '\\')) => same,
            Some('u') => {
                let mut units = vec![code_unit(&mut characters)?];
                // A character may have two units.
                if (0xD800..0xDC00).contains(&units[0]) {
                    characters.by_ref().take(2).for_each(drop);
                    units.push(code_unit(&mut characters)?);
                }
                let text = String::from_utf16(&units).map_err(|error| error.to_string())?;
                out.push_str(&text);
                continue;
            }
            other => return Err(format!("unknown escape \\{}", other.unwrap_or(' '))),
        });
    }
    Ok(out)
}

/// The four digits of an escape.
fn code_unit(characters: &mut std::str::Chars<'_>) -> Result<u16, String> {
    let digits: String = characters.take(4).collect();
    u16::from_str_radix(&digits, 16).map_err(|_| format!("unknown escape \\u{digits}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let tokens = tokens(text).expect("tokens");
        let shown: Vec<_> = tokens
            .iter()
            .filter_map(|token| match &token.kind {
                TokenKind::Name(text) | TokenKind::Sign(text) => Some(text.clone()),
                TokenKind::Int(value) => Some(value.to_string()),
                TokenKind::Float(value) => Some(format!("{value:?}")),
                TokenKind::Text(text) => Some(format!("{text:?}")),
                TokenKind::Symbol(text) => Some(format!("'{text}")),
                TokenKind::Interpolated(parts) => Some(format!("s{}", parts.len())),
                TokenKind::End => None,
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn names_operators_and_numbers() {
        check(
            "a.b_!(1, 2.5f, 0x1F) =>x",
            &["a", ".", "b_!", "(", "1", ",", "2.5", ",", "31", ")", "=>", "x"],
        );
        check("'a' 'sym /* c */ 10L // end", &["\"a\"", "'sym", "10"]);
    }

    #[test]
    fn texts_are_read_with_their_escapes() {
        check(r#" "a\"b" "#, &[r#""a\"b""#]);
        check(r#" "\u00e4\uD83D\uDE0B" "#, &["\"\u{e4}\u{1f60b}\""]);
        check("\"\"\"a\\n\"\"\"\"", &[r#""a\\n\"""#]);
        assert!(tokens("\"a").is_err());
        assert!(tokens("\"\\q\"").is_err());
    }

    #[test]
    fn interpolated_texts_have_parts_and_escapes_even_when_long() {
        let tokens = tokens("s\"\"\"{\"a\": \\\\\\\"$b\\\"${c.d(\"}\")}}\"\"\"").expect("tokens");
        let TokenKind::Interpolated(parts) = &tokens[0].kind else { panic!("{tokens:?}") };
        let text = |text: &str| Part::Text(text.to_owned());
        let source = |text: &str| Part::Source(text.to_owned());
        assert_eq!(
            parts[..],
            [text("{\"a\": \\\""), source("b"), text("\""), source("c.d(\"}\")"), text("}")]
        );
    }
}
