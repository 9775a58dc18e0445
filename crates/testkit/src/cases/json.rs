//! JSON as tokens: numbers and strings stay as they are written, keys in their order, so that two
//! texts are equal after [`compact`] only if they differ in nothing but white space.

/// A text that is not JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct InvalidJson {
    /// From 1.
    pub line: usize,
    pub problem: &'static str,
}

/// Maximum length of a line of [`pretty`].
const WIDTH: usize = 100;

#[derive(Debug)]
enum Value<'t> {
    /// A number, a string or a keyword.
    Token(&'t str),
    Array(Vec<Value<'t>>),
    Object(Vec<(&'t str, Value<'t>)>),
}

struct Reader<'t> {
    text: &'t str,
    position: usize,
}

/// The text without white space between its tokens.
pub fn compact(text: &str) -> Result<String, InvalidJson> {
    let mut out = String::with_capacity(text.len());
    write_compact(&read(text)?, &mut out);
    Ok(out)
}

/// The text in lines of moderate length, indented.
pub fn pretty(text: &str) -> Result<String, InvalidJson> {
    let mut out = String::new();
    write_pretty(&read(text)?, 0, 0, &mut out);
    Ok(out)
}

fn read(text: &str) -> Result<Value<'_>, InvalidJson> {
    let mut reader = Reader { text, position: 0 };
    let value = reader.value()?;
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.fail("there is more after the value")),
    }
}

impl<'t> Reader<'t> {
    /// The first character that is not white space.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.position..];
        self.position += rest.len() - rest.trim_start().len();
        self.text[self.position..].chars().next()
    }

    fn skip(&mut self, character: char) -> bool {
        let found = self.peek() == Some(character);
        if found {
            self.position += character.len_utf8();
        }
        found
    }

    fn fail(&self, problem: &'static str) -> InvalidJson {
        InvalidJson { line: self.text[..self.position].split('\n').count(), problem }
    }

    fn value(&mut self) -> Result<Value<'t>, InvalidJson> {
        match self.peek() {
            Some('{') => self.object(),
            Some('[') => self.array(),
            Some('"') => Ok(Value::Token(self.string()?)),
            Some(_) => self.word(),
            None => Err(self.fail("a value was expected")),
        }
    }

    fn object(&mut self) -> Result<Value<'t>, InvalidJson> {
        let mut entries = Vec::new();
        self.skip('{');
        if self.skip('}') {
            return Ok(Value::Object(entries));
        }
        loop {
            if self.peek() != Some('"') {
                return Err(self.fail("a key was expected"));
            }
            let key = self.string()?;
            if !self.skip(':') {
                return Err(self.fail("a colon was expected"));
            }
            entries.push((key, self.value()?));
            if self.skip('}') {
                return Ok(Value::Object(entries));
            }
            if !self.skip(',') {
                return Err(self.fail("a comma or a closing brace was expected"));
            }
        }
    }

    fn array(&mut self) -> Result<Value<'t>, InvalidJson> {
        let mut items = Vec::new();
        self.skip('[');
        if self.skip(']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value()?);
            if self.skip(']') {
                return Ok(Value::Array(items));
            }
            if !self.skip(',') {
                return Err(self.fail("a comma or a closing bracket was expected"));
            }
        }
    }

    fn string(&mut self) -> Result<&'t str, InvalidJson> {
        let rest = &self.text[self.position..];
        let mut escaped = false;
        for (index, character) in rest.char_indices().skip(1) {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    let token = &rest[..=index];
                    self.position += token.len();
                    return Ok(token);
                }
                '\n' => break,
                _ => {}
            }
        }
        Err(self.fail("a string has no end on its line"))
    }

    fn word(&mut self) -> Result<Value<'t>, InvalidJson> {
        let rest = &self.text[self.position..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
        let token = &rest[..end.unwrap_or(rest.len())];
        let is_number = token.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        if !is_number && !["true", "false", "null"].contains(&token) {
            return Err(self.fail("a value was expected"));
        }
        self.position += token.len();
        Ok(Value::Token(token))
    }
}

fn write_compact(value: &Value<'_>, out: &mut String) {
    match value {
        Value::Token(token) => out.push_str(token),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_compact(item, out);
            }
            out.push(']');
        }
        Value::Object(entries) => {
            out.push('{');
            for (index, (key, item)) in entries.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(key);
                out.push(':');
                write_compact(item, out);
            }
            out.push('}');
        }
    }
}

/// `used` is the length of the line before the value.
fn write_pretty(value: &Value<'_>, depth: usize, used: usize, out: &mut String) {
    let start = out.len();
    write_compact(value, out);
    if used + out[start..].chars().count() <= WIDTH {
        return;
    }
    let (open, close) = match value {
        Value::Token(_) => return,
        Value::Array(_) => ('[', ']'),
        Value::Object(_) => ('{', '}'),
    };
    out.truncate(start);
    out.push(open);
    let indentation = "  ".repeat(depth + 1);
    match value {
        Value::Token(_) => {}
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                begin_line(index, &indentation, out);
                write_pretty(item, depth + 1, indentation.len(), out);
            }
        }
        Value::Object(entries) => {
            for (index, (key, item)) in entries.iter().enumerate() {
                begin_line(index, &indentation, out);
                out.push_str(key);
                out.push_str(": ");
                write_pretty(item, depth + 1, indentation.len() + key.len() + 2, out);
            }
        }
    }
    out.push('\n');
    out.push_str(&"  ".repeat(depth));
    out.push(close);
}

fn begin_line(index: usize, indentation: &str, out: &mut String) {
    if index > 0 {
        out.push(',');
    }
    out.push('\n');
    out.push_str(indentation);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_white_space_between_tokens_is_lost() {
        let text = "{ \"b\" : [ 1.50 , -2e+3 ],\n \"a \\\" ,\": {}, \"a\": [ ] }";
        assert_eq!(compact(text).as_deref(), Ok(r#"{"b":[1.50,-2e+3],"a \" ,":{},"a":[]}"#));
    }

    #[test]
    fn long_values_are_broken_and_short_ones_stay_on_a_line() {
        let long = "x".repeat(WIDTH);
        let text = format!(r#"{{"a":[{{"b":1}},{{"c":"{long}"}}],"d":2}}"#);
        let expected = format!(
            "{{\n  \"a\": [\n    {{\"b\":1}},\n    {{\n      \"c\": \"{long}\"\n    }}\n  ],\n  \"d\": 2\n}}"
        );
        assert_eq!(pretty(&text), Ok(expected.clone()));
        assert_eq!(compact(&expected), Ok(text));
    }

    #[test]
    fn what_is_not_json_is_refused_with_its_line() {
        let check = |text, line, problem| {
            assert_eq!(compact(text), Err(InvalidJson { line, problem }), "{text}");
        };
        check("{\n\"a\" 1}", 2, "a colon was expected");
        check("[1\n,\n]", 3, "a value was expected");
        check("[1] 2", 1, "there is more after the value");
        check("\"a\n\"", 1, "a string has no end on its line");
        check("nul", 1, "a value was expected");
        check("", 1, "a value was expected");
    }
}
