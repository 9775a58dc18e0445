//! Formats an event as one line, with the id of its request. Text from clients cannot imitate another
//! line.

use std::fmt::{self, Write};

use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::FmtContext;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::registry::LookupSpan;

use crate::options::LogFormat;
use crate::request_id::RequestId;

/// Formats events like `inner`, and adds the id of the request.
#[derive(Debug)]
pub(super) struct Line<F> {
    pub(super) inner: F,
    pub(super) format: LogFormat,
    /// Whether the line has colours, which begin with a control character.
    pub(super) is_coloured: bool,
}

impl<S, N, F> FormatEvent<S, N> for Line<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = String::with_capacity(256);
        self.inner.format_event(context, Writer::new(&mut line), event)?;
        let line = line.trim_end_matches('\n');
        match self.format {
            LogFormat::Json => write_json(line, RequestId::current(), &mut writer),
            LogFormat::Text => {
                write_text(line, self.is_coloured, &mut writer)?;
                match RequestId::current() {
                    Some(id) => writeln!(writer, " request_id={}", id.as_str()),
                    None => writeln!(writer),
                }
            }
        }
    }
}

/// Writes JSON with the id as a further key. JSON escapes control characters of ASCII, but not all
/// harmful characters.
fn write_json(line: &str, id: Option<RequestId>, writer: &mut impl Write) -> fmt::Result {
    let escaped = line.contains(is_harmful).then(|| escaped_json(line));
    let line = escaped.as_deref().unwrap_or(line);
    match (id, line.strip_suffix('}')) {
        (Some(id), Some(object)) => {
            writeln!(writer, "{object},\"request_id\":\"{}\"}}", id.as_str())
        }
        (None, _) | (_, None) => writeln!(writer, "{line}"),
    }
}

/// Escapes harmful characters, which occur in strings only.
fn escaped_json(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len() + 16);
    for c in line.chars() {
        match is_harmful(c) {
            // All of them have at most four hexadecimal digits.
            true => drop(write!(escaped, "\\u{:04x}", u32::from(c))),
            false => escaped.push(c),
        }
    }
    escaped
}

/// Escapes line breaks and escape sequences in names and messages from clients.
fn write_text(line: &str, is_coloured: bool, writer: &mut impl Write) -> fmt::Result {
    let is_harmful = |c: char| is_harmful(c) && !(is_coloured && c == '\u{1b}');
    if !line.contains(is_harmful) {
        return writer.write_str(line);
    }
    for c in line.chars() {
        match is_harmful(c) {
            true => write!(writer, "{}", c.escape_default())?,
            false => writer.write_char(c)?,
        }
    }
    Ok(())
}

/// Whether a character could change the appearance of a line: control characters, which terminals
/// interpret, the other two line breaks of Unicode, and those that change the direction of text.
/// <https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters>
pub(crate) fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{2028}' | '\u{2029}'
                | '\u{061c}' | '\u{200e}' | '\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, is_coloured: bool, expected: &str) {
        let mut text = String::new();
        write_text(line, is_coloured, &mut text).unwrap();
        assert_eq!(text, expected);
    }

    #[test]
    fn a_line_of_text_stays_one() {
        check("INFO a=1", false, "INFO a=1");
        check("a\nERROR b\r\n", false, "a\\nERROR b\\r\\n");
        check("a\u{2028}b\u{85}c\u{1b}[31m", false, "a\\u{2028}b\\u{85}c\\u{1b}[31m");
        check("\u{1b}[2mINFO\u{1b}[0m a\n", true, "\u{1b}[2mINFO\u{1b}[0m a\\n");
        check("a\u{9b}31mb\u{202e}c", true, "a\\u{9b}31mb\\u{202e}c");
    }

    #[test]
    fn no_character_that_changes_how_a_line_looks_is_in_either_format() {
        let controls = (0..=0x9f).filter_map(char::from_u32).filter(|c| c.is_control());
        let others = [0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069];
        let all = controls.chain(others.into_iter().filter_map(char::from_u32));
        for c in all {
            let value = serde_json::json!({ "a": format!("x{c}y") });
            let mut json = String::new();
            write_json(&value.to_string(), None, &mut json).unwrap();
            let line = json.strip_suffix('\n').unwrap();
            assert!(!line.contains(is_harmful), "{c:?}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(line).unwrap(), value);
            let mut text = String::new();
            write_text(&format!("x{c}y"), false, &mut text).unwrap();
            assert!(!text.contains(is_harmful), "{c:?}");
        }
    }

    #[test]
    fn the_id_is_a_key_of_the_object() {
        let id = RequestId::given_or_new(Some(b"abc"));
        let mut text = String::new();
        write_json(r#"{"level":"INFO"}"#, Some(id), &mut text).unwrap();
        assert_eq!(text, "{\"level\":\"INFO\",\"request_id\":\"abc\"}\n");
        text.clear();
        write_json("{\"a\":\"b\u{2028}c\"}", None, &mut text).unwrap();
        assert_eq!(text, "{\"a\":\"b\\u2028c\"}\n");
    }
}
