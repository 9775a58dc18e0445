//! Lines of RDF N-Quads, as Dgraph writes and reads them.
//! <https://www.w3.org/TR/n-quads/>, with facets in parentheses and namespaces as labels.

use std::borrow::Cow;

use super::Name;

/// A triple with its label and the number of its facets.
#[derive(Clone, Debug, PartialEq)]
pub struct Quad<'l> {
    pub subject: Name<'l>,
    pub predicate: &'l str,
    pub language: Option<&'l str>,
    pub object: Object<'l>,
    pub namespace: u64,
    pub facets: u64,
}

/// The object of a triple.
#[derive(Clone, Debug, PartialEq)]
pub enum Object<'l> {
    Name(Name<'l>),
    Literal(Cow<'l, str>),
}

/// The reason why a line is no triple.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("the line is not UTF-8")]
    Encoding,
    #[error("{0} is expected")]
    Expected(&'static str),
    #[error("a `\"` at the end of the text is missing")]
    OpenText,
    #[error("an unknown escape in the text")]
    Escape,
    #[error("`*` deletes, and an import adds only")]
    Star,
    #[error("a blank node has an empty name")]
    EmptyName,
    #[error("the datatype is unknown")]
    Datatype,
}

/// Datatypes that Dgraph reads, by the ends of their names.
const DATATYPES: &[&str] = &[
    "password",
    "string",
    "date",
    "dateTime",
    "int",
    "integer",
    "positiveInteger",
    "boolean",
    "double",
    "float",
    "base64Binary",
    "decimal",
    "geojson",
    "[]float32",
    "gYear",
    "gYearMonth",
];

const NAMESPACES: &[&str] = &["xs:", "geo:", "http://www.w3.org/2001/XMLSchema#"];

/// Reads a line; `None` if it is empty or a comment.
pub fn read(line: &[u8]) -> Result<Option<Quad<'_>>, Problem> {
    let text = std::str::from_utf8(line).map_err(|_| Problem::Encoding)?;
    let mut cursor = Cursor { rest: text.trim() };
    if cursor.rest.is_empty() || cursor.rest.starts_with('#') {
        return Ok(None);
    }
    let subject = cursor.name("a subject")?;
    cursor.skip_spaces();
    let predicate = cursor.predicate()?;
    let (predicate, mut language) = match predicate.split_once('@') {
        Some((name, language)) => (name, Some(language)),
        None => (predicate, None),
    };
    if predicate.is_empty() {
        return Err(Problem::Expected("a predicate"));
    }
    cursor.skip_spaces();
    let object = match cursor.rest.starts_with('"') {
        true => {
            let (text, tag) = cursor.literal()?;
            language = tag.or(language);
            Object::Literal(text)
        }
        false => Object::Name(cursor.name("an object")?),
    };
    cursor.skip_spaces();
    let mut namespace = 0;
    if cursor.rest.starts_with('<') {
        let label = cursor.bracketed()?;
        namespace = super::uid(label).ok_or(Problem::Expected("the number of a namespace"))?;
        cursor.skip_spaces();
    }
    let facets = if cursor.take('(') { cursor.facets()? } else { 0 };
    cursor.skip_spaces();
    if !cursor.take('.') {
        return Err(Problem::Expected("a `.` at the end"));
    }
    cursor.skip_spaces();
    if !cursor.rest.is_empty() && !cursor.rest.starts_with('#') {
        return Err(Problem::Expected("the end of the line"));
    }
    Ok(Some(Quad { subject, predicate, language, object, namespace, facets }))
}

struct Cursor<'l> {
    rest: &'l str,
}

impl<'l> Cursor<'l> {
    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    fn take(&mut self, wanted: char) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// The text up to a place, which is left out with the byte at it.
    fn split(&mut self, place: usize) -> &'l str {
        let (taken, rest) = self.rest.split_at(place);
        self.rest = rest.get(1..).unwrap_or_default();
        taken
    }

    fn bracketed(&mut self) -> Result<&'l str, Problem> {
        self.rest = self.rest.get(1..).unwrap_or_default();
        let end = self.rest.find('>').ok_or(Problem::Expected("a `>`"))?;
        Ok(self.split(end).trim_matches(' '))
    }

    fn word(&mut self) -> &'l str {
        let end = self.rest.find([' ', '\t', '<', '"', '(']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn name(&mut self, wanted: &'static str) -> Result<Name<'l>, Problem> {
        let name = match self.rest.as_bytes().first() {
            Some(b'<') => self.bracketed()?,
            Some(b'*') => return Err(Problem::Star),
            Some(b'_') => {
                let word = self.word();
                // The dot may follow without a space.
                match word.strip_suffix('.').filter(|_| self.rest.trim().is_empty()) {
                    Some(name) => {
                        self.rest = ".";
                        name
                    }
                    None => word,
                }
            }
            Some(b'u') if self.rest.starts_with("uid(") => return Err(Problem::Expected(wanted)),
            _ => return Err(Problem::Expected(wanted)),
        };
        match name {
            "" => Err(Problem::Expected(wanted)),
            "_:" => Err(Problem::EmptyName),
            name if name.starts_with('_') && !name.starts_with("_:") => {
                Err(Problem::Expected("`_:` before the name of a blank node"))
            }
            name => Ok(Name::new(name)),
        }
    }

    fn predicate(&mut self) -> Result<&'l str, Problem> {
        match self.rest.as_bytes().first() {
            Some(b'<') => self.bracketed(),
            Some(b'*') => Err(Problem::Star),
            Some(byte) if byte.is_ascii_alphabetic() || !byte.is_ascii() => Ok(self.word()),
            _ => Err(Problem::Expected("a predicate")),
        }
    }

    /// A text, and its language.
    fn literal(&mut self) -> Result<(Cow<'l, str>, Option<&'l str>), Problem> {
        let text = self.quoted()?;
        if self.take('@') {
            let language = self.word();
            let language = language.strip_suffix('.').map_or(language, |language| {
                self.rest = ".";
                language
            });
            return match language {
                "" => Err(Problem::Expected("a language")),
                language => Ok((text, Some(language))),
            };
        }
        if let Some(rest) = self.rest.strip_prefix("^^") {
            self.rest = rest;
            let datatype = match self.rest.starts_with('<') {
                true => self.bracketed()?,
                false => self.word(),
            };
            let name = NAMESPACES.iter().find_map(|namespace| datatype.strip_prefix(namespace));
            if !name.is_some_and(|name| DATATYPES.contains(&name)) {
                return Err(Problem::Datatype);
            }
        }
        Ok((text, None))
    }

    /// The text between quotes. The cursor is behind them.
    fn quoted(&mut self) -> Result<Cow<'l, str>, Problem> {
        self.rest = self.rest.get(1..).unwrap_or_default();
        let end = self.rest.find(['"', '\\']).ok_or(Problem::OpenText)?;
        if self.rest.as_bytes().get(end) == Some(&b'"') {
            return Ok(Cow::Borrowed(self.split(end)));
        }
        let mut out = Vec::new();
        loop {
            let place = self.rest.find(['"', '\\']).ok_or(Problem::OpenText)?;
            let is_end = self.rest.as_bytes().get(place) == Some(&b'"');
            out.extend_from_slice(self.split(place).as_bytes());
            if is_end {
                break;
            }
            self.escape(&mut out)?;
        }
        String::from_utf8(out).map(Cow::Owned).map_err(|_| Problem::Escape)
    }

    /// An escape of Go or JSON, behind its backslash.
    fn escape(&mut self, out: &mut Vec<u8>) -> Result<(), Problem> {
        let kind = *self.rest.as_bytes().first().ok_or(Problem::OpenText)?;
        if !kind.is_ascii() {
            return Err(Problem::Escape);
        }
        self.split(0);
        let plain = match kind {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' => 0x08,
            b'f' => 0x0c,
            b'a' => 0x07,
            b'v' => 0x0b,
            b'"' | b'\\' | b'\'' | b'/' => kind,
            b'x' => u8::try_from(self.digits(2)?).map_err(|_| Problem::Escape)?,
            b'u' | b'U' => {
                let mut code = self.digits(if kind == b'u' { 4 } else { 8 })?;
                // Two escapes of JSON are one character beyond 16 bits.
                if (0xd800..0xdc00).contains(&code) {
                    self.rest = self.rest.strip_prefix("\\u").ok_or(Problem::Escape)?;
                    let low = self.digits(4)?.checked_sub(0xdc00).filter(|low| *low < 0x400);
                    code = 0x1_0000 + ((code - 0xd800) << 10) + low.ok_or(Problem::Escape)?;
                }
                let character = char::from_u32(code).ok_or(Problem::Escape)?;
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return Err(Problem::Escape),
        };
        out.push(plain);
        Ok(())
    }

    fn digits(&mut self, count: usize) -> Result<u32, Problem> {
        let (digits, rest) = self.rest.split_at_checked(count).ok_or(Problem::Escape)?;
        self.rest = rest;
        match digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            true => u32::from_str_radix(digits, 16).map_err(|_| Problem::Escape),
            false => Err(Problem::Escape),
        }
    }

    /// Counts the facets up to the closing parenthesis: `(since=2006, note="a, b")`.
    fn facets(&mut self) -> Result<u64, Problem> {
        let mut count = 0;
        loop {
            self.skip_spaces();
            let end = self.rest.find(['=', ')']).ok_or(Problem::Expected("a `)`"))?;
            let is_end = self.rest.as_bytes().get(end) == Some(&b')');
            let key = self.split(end).trim();
            if is_end {
                return match key {
                    "" if count == 0 => Ok(0),
                    _ => Err(Problem::Expected("a `=` in the facets")),
                };
            }
            count += 1;
            self.skip_spaces();
            if self.rest.starts_with('"') {
                self.quoted()?;
            }
            let end = self.rest.find([',', ')']).ok_or(Problem::Expected("a `)`"))?;
            let is_end = self.rest.as_bytes().get(end) == Some(&b')');
            self.split(end);
            if is_end {
                return Ok(count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expect: &str) {
        let shown = match read(line.as_bytes()) {
            Ok(None) => "nothing".to_owned(),
            Ok(Some(Quad { subject, predicate, language, object, namespace, facets })) => {
                let language = language.map(|tag| format!("@{tag}")).unwrap_or_default();
                format!("{subject:?} {predicate}{language} {object:?} {namespace} {facets}")
            }
            Err(problem) => problem.to_string(),
        };
        assert_eq!(shown, expect, "{line}");
    }

    #[test]
    fn triples_of_exports_and_of_people() {
        check(
            r#"<0x1> <Author.name> "Ann \"A\"\n"^^<xs:string> <0x0> ."#,
            r#"Uid(1) Author.name Literal("Ann \"A\"\n") 0 0"#,
        );
        check("<0x2a> <Post.author> <0x1> <0x2> .", "Uid(42) Post.author Name(Uid(1)) 2 0");
        check("_:a <p> _:b .", r#"Blank("_:a") p Name(Blank("_:b")) 0 0"#);
        check("_:a <p> _:b. # why", "a `.` at the end is expected");
        check("_:a <p> _:b.", r#"Blank("_:a") p Name(Blank("_:b")) 0 0"#);
        check(r#"<http://x/a> name "x"@en ."#, r#"Blank("http://x/a") name@en Literal("x") 0 0"#);
        check(r#"<1> <name@hi> "x" ."#, r#"Uid(1) name@hi Literal("x") 0 0"#);
        check(
            r#"<0x1> <p> <0x2> <0x0> (since=2006-01-02, note="a, b)", open=) . # c"#,
            "Uid(1) p Name(Uid(2)) 0 3",
        );
        check(
            r#"<1> <p> "\u00e9\U0001f600\ud83d\ude00\x41" ."#,
            r#"Uid(1) p Literal("é😀😀A") 0 0"#,
        );
        check(r#"  <1>	<p>	"[1, 2]"^^<xs:[]float32> . "#, r#"Uid(1) p Literal("[1, 2]") 0 0"#);
        check("# comment", "nothing");
        check("   ", "nothing");
    }

    #[test]
    fn broken_lines_are_named() {
        check("<0x1> <p>", "an object is expected");
        check("<0x1", "a `>` is expected");
        check(r#"<1> <p> "x"#, "a `\"` at the end of the text is missing");
        check(r#"<1> <p> "\q" ."#, "an unknown escape in the text");
        check(r#"<1> <p> "\ud83d" ."#, "an unknown escape in the text");
        check(r#"<1> <p> "x"^^<xs:ham> ."#, "the datatype is unknown");
        check(r#"<1> <p> "x" . <2>"#, "the end of the line is expected");
        check("<1> * * .", "`*` deletes, and an import adds only");
        check("_: <p> <2> .", "a blank node has an empty name");
        check("<1> <p> <2> (a=1 .", "a `)` is expected");
        check(r#"<1> <p> "\é" ."#, "an unknown escape in the text");
        check("x", "a subject is expected");
    }

    #[test]
    fn no_bytes_are_a_panic() {
        let mut state = 7_u64;
        let alphabet = b"<>_:\"\\u0x1.@^*() pa\n#=,\xc3\xa9";
        for _ in 0..200_000 {
            let mut line = Vec::new();
            for _ in 0..24 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let place = usize::try_from(state >> 33).unwrap() % alphabet.len();
                line.push(alphabet[place]);
            }
            drop(read(&line));
        }
    }
}
