//! RE2's syntax → that of the crate `regex`, where they differ: classes of letters are those of
//! ASCII, classes have no operators, and braces may be themselves.

use regex_syntax::is_meta_character;
use source::SourceError;

/// The most repetitions that RE2 takes.
const REPETITIONS: u32 = 1_000;

/// An expression in the syntax of `regex`. Errors that both have are left to it.
pub(super) fn translated(pattern: &str) -> Result<String, SourceError> {
    let mut reader = Reader { rest: pattern, out: String::with_capacity(pattern.len() + 16) };
    while let Some(letter) = reader.next() {
        match letter {
            '\\' => reader.escape(EscapeContext::Outside)?,
            '[' => reader.class()?,
            '{' => reader.braces()?,
            '(' => reader.group()?,
            '}' | ']' => reader.literal(letter),
            _ => reader.out.push(letter),
        }
    }
    Ok(reader.out)
}

/// The context of an escape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EscapeContext {
    Outside,
    Class,
}

struct Reader<'p> {
    rest: &'p str,
    out: String,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = &self.rest[letter.len_utf8()..];
        Some(letter)
    }

    fn take(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Copies up to the end of a part, and the end itself; all that is left if it has none.
    fn copy_through(&mut self, end: &str) {
        let length = self.rest.find(end).map_or(self.rest.len(), |start| start + end.len());
        let (copied, rest) = self.rest.split_at(length);
        self.out.push_str(copied);
        self.rest = rest;
    }

    fn literal(&mut self, letter: char) {
        if is_meta_character(letter) {
            self.out.push('\\');
        }
        self.out.push(letter);
    }

    fn escape(&mut self, place: EscapeContext) -> Result<(), SourceError> {
        let Some(letter) = self.next() else {
            return Err(SourceError::input("it ends in a backslash"));
        };
        let unknown = || Err(SourceError::input(format!("`\\{letter}` is unknown")));
        match letter {
            'd' => self.out.push_str("[0-9]"),
            'D' => self.out.push_str("[^0-9]"),
            'w' => self.out.push_str("[0-9A-Za-z_]"),
            'W' => self.out.push_str("[^0-9A-Za-z_]"),
            's' => self.out.push_str(r"[\t\n\f\r ]"),
            'S' => self.out.push_str(r"[^\t\n\f\r ]"),
            'b' if place == EscapeContext::Outside => self.out.push_str(r"(?-u:\b)"),
            'A' | 'z' if place == EscapeContext::Outside => self.out.extend(['\\', letter]),
            'Q' if place == EscapeContext::Outside => self.quoted(),
            'p' | 'P' | 'x' => {
                self.out.extend(['\\', letter]);
                if self.rest.starts_with('{') {
                    self.copy_through("}");
                }
            }
            'a' | 'f' | 't' | 'n' | 'r' | 'v' => self.out.extend(['\\', letter]),
            '0'..='7' => return self.octal(letter),
            _ if letter.is_ascii() && !letter.is_ascii_alphanumeric() => self.literal(letter),
            _ => return unknown(),
        }
        Ok(())
    }

    /// Text that means itself.
    fn quoted(&mut self) {
        while !self.rest.is_empty() && !self.take("\\E") {
            if let Some(letter) = self.next() {
                self.literal(letter);
            }
        }
    }

    /// A character by its number. One digit alone would refer to a group, which RE2 does not have.
    fn octal(&mut self, first: char) -> Result<(), SourceError> {
        let is_octal = |letter: char| letter.is_digit(8);
        if first != '0' && !self.rest.starts_with(is_octal) {
            return Err(SourceError::input(format!("`\\{first}` is unknown")));
        }
        let mut code = first.to_digit(8).unwrap_or_default();
        for _ in 0..2 {
            let Some(digit) = self.rest.chars().next().and_then(|letter| letter.to_digit(8)) else {
                break;
            };
            code = code * 8 + digit;
            self.next();
        }
        self.out.push_str(&format!("\\x{{{code:x}}}"));
        Ok(())
    }

    fn class(&mut self) -> Result<(), SourceError> {
        self.out.push('[');
        if self.take("^") {
            self.out.push('^');
        }
        let mut is_first = true;
        while let Some(letter) = self.next() {
            match letter {
                ']' if !is_first => {
                    self.out.push(']');
                    return Ok(());
                }
                '\\' => self.escape(EscapeContext::Class)?,
                '[' if self.rest.starts_with(':') => {
                    self.out.push('[');
                    self.copy_through(":]");
                }
                '-' if self.take("-") => self.out.push_str(r"-\-"),
                '-' => self.out.push('-'),
                _ => self.literal(letter),
            }
            is_first = false;
        }
        Err(SourceError::input("a class has no `]`"))
    }

    /// A number of repetitions, or a brace that is itself.
    fn braces(&mut self) -> Result<(), SourceError> {
        let inside = self.rest.split_once('}').map(|(inside, _)| inside);
        let is_number =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_repetition = inside.is_some_and(|inside| match inside.split_once(',') {
            Some((least, most)) => is_number(least) && (most.is_empty() || is_number(most)),
            None => is_number(inside),
        });
        if !is_repetition {
            self.literal('{');
            return Ok(());
        }
        let mut numbers = inside.unwrap_or_default().split(',').filter(|text| !text.is_empty());
        if numbers.any(|text| text.parse::<u32>().map_or(true, |number| number > REPETITIONS)) {
            return Err(SourceError::input(format!("more than {REPETITIONS} repetitions")));
        }
        self.out.push('{');
        self.copy_through("}");
        Ok(())
    }

    fn group(&mut self) -> Result<(), SourceError> {
        self.out.push('(');
        if !self.rest.starts_with('?') {
            return Ok(());
        }
        let head = self.rest.find([':', ')', '<', '=', '!']).unwrap_or(self.rest.len());
        let flags = &self.rest[1..head.max(1)];
        let is_known =
            flags == "P" || flags.chars().all(|flag| matches!(flag, 'i' | 'm' | 's' | 'U' | '-'));
        if !is_known {
            return Err(SourceError::input(format!("the flags `{flags}` are unknown")));
        }
        let (copied, rest) = self.rest.split_at(head);
        self.out.push_str(copied);
        self.rest = rest;
        if self.rest.starts_with('<') {
            self.copy_through(">");
        }
        Ok(())
    }
}
