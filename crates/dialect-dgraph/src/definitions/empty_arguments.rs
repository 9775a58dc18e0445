//! Empty parentheses, as in `@auth()`: Dgraph's parser accepts them, GraphQL's grammar does not.

use std::borrow::Cow;

/// The text with spaces in the place of empty parentheses, so that all else keeps its place.
pub(super) fn blank(text: &str) -> Cow<'_, str> {
    let mut blanked: Vec<usize> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let offset = text.len() - rest.len();
        let length = match first {
            '#' => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            '"' => string_length(rest),
            '(' => {
                let inner = &rest[1..];
                let after = inner.trim_start_matches([' ', '\t', '\n', '\r', ',']);
                if after.starts_with(')') {
                    blanked.extend([offset, text.len() - after.len()]);
                }
                1
            }
            other => other.len_utf8(),
        };
        rest = &rest[length..];
    }
    if blanked.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut result = text.to_owned();
    for offset in blanked {
        result.replace_range(offset..=offset, " ");
    }
    Cow::Owned(result)
}

/// The length of the string or block string at the beginning of a text. An open one, which is a
/// syntax error, extends to the end of the text or line.
fn string_length(text: &str) -> usize {
    if let Some(block) = text.strip_prefix("\"\"\"") {
        let mut length = 3;
        let mut rest = block;
        while let Some(end) = rest.find("\"\"\"") {
            length += end + 3;
            if !rest[..end].ends_with('\\') {
                return length;
            }
            rest = &rest[end + 3..];
        }
        return text.len();
    }
    let mut is_escaped = false;
    for (offset, char) in text.char_indices().skip(1) {
        match char {
            '\n' | '\r' => return offset,
            '"' if !is_escaped => return offset + 1,
            _ => is_escaped = char == '\\' && !is_escaped,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_parentheses_become_spaces() {
        for (text, expected) in [
            ("type A @auth() { b(): C @d( ,\n) }", "type A @auth   { b  : C @d  ,\n  }"),
            ("# ()\n\"() \\\" ()\" () é()", "# ()\n\"() \\\" ()\"    é  "),
            ("\"\"\"() \\\"\"\" () \"\"\" ()", "\"\"\"() \\\"\"\" () \"\"\"   "),
            ("a(b: 1) \"open ()\n()", "a(b: 1) \"open ()\n  "),
            ("\"\"\" ()", "\"\"\" ()"),
            ("a(", "a("),
        ] {
            assert_eq!(blank(text), expected);
        }
    }
}
