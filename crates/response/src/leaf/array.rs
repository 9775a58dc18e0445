//! PostgreSQL's arrays as lists; those of a graph have another module.

use super::quoted::Quoted;
use super::{Leaf, LeafError, composite, graph};
use crate::cursor::Value;

/// The token before the current position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    OpeningBrace,
    Comma,
    Element,
}

/// Appends the elements of all dimensions as one list.
pub(super) fn write_list(
    inner: &Leaf,
    value: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    if let Value::Packed(_) = value {
        return graph::write_list(inner, value, out);
    }
    let malformed = || LeafError::new("List", "a value that is not an array", value);
    let Value::Text(text) = value else { return Err(malformed()) };
    let mut rest = skip_bounds(text).ok_or_else(malformed)?;
    let mut scratch = Vec::new();
    let mut depth = 0_usize;
    let mut before = Before::Nothing;
    let mut count = 0_u64;
    let mut failed = None;
    out.push(b'[');
    loop {
        let (byte, after) = rest.split_first().ok_or_else(malformed)?;
        match (before, byte) {
            (Before::Nothing | Before::OpeningBrace | Before::Comma, b'{') => {
                depth += 1;
                before = Before::OpeningBrace;
                rest = after;
            }
            (Before::OpeningBrace | Before::Element, b'}') => {
                depth -= 1;
                before = Before::Element;
                rest = after;
                if depth == 0 {
                    break;
                }
            }
            (Before::Element, b',') => {
                before = Before::Comma;
                rest = after;
            }
            (Before::OpeningBrace | Before::Comma, _) => {
                if count > 0 {
                    out.push(b',');
                }
                let (element, after) = take_element(rest, &mut scratch).ok_or_else(malformed)?;
                rest = after;
                if let Err(error) = write_element(inner, element, out) {
                    failed.get_or_insert(LeafError { element: Some(count), ..error });
                }
                count += 1;
                before = Before::Element;
            }
            (Before::Nothing | Before::Element, _) => return Err(malformed()),
        }
    }
    out.push(b']');
    match failed {
        _ if !rest.is_empty() => Err(malformed()),
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Takes one element, `None` for null, and returns the rest.
fn take_element<'e, 'a: 'e>(
    text: &'a [u8],
    scratch: &'e mut Vec<u8>,
) -> Option<(Option<&'e [u8]>, &'a [u8])> {
    if let [b'"', inside @ ..] = text {
        let (quoted, rest) = Quoted::take(inside)?;
        return Some((Some(quoted.unescape(scratch)), rest));
    }
    let end = text.iter().position(|byte| matches!(byte, b',' | b'}'))?;
    let (element, rest) = text.split_at_checked(end)?;
    match element {
        [] => None,
        b"NULL" => Some((None, rest)),
        _ => Some((Some(element), rest)),
    }
}

/// Appends one element; one that cannot be represented becomes null, the others stay.
fn write_element(inner: &Leaf, element: Option<&[u8]>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    let start = out.len();
    let written = match (element, inner) {
        (Some(text), _) => inner.write(Value::Text(text), out),
        (None, Leaf::Composite(members)) => composite::write_absent(members, out),
        (None, _) => {
            out.extend_from_slice(b"null");
            Ok(())
        }
    };
    written.inspect_err(|error| {
        // A list within the list is written already.
        if error.element.is_none() {
            out.truncate(start);
            out.extend_from_slice(b"null");
        }
    })
}

/// Skips `[0:1][1:2]=`, the prefix of arrays whose first index is not one.
fn skip_bounds(text: &[u8]) -> Option<&[u8]> {
    if !text.starts_with(b"[") {
        return Some(text);
    }
    let end = text.iter().position(|byte| *byte == b'=')?;
    let is_bound =
        |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'[' | b']' | b':' | b'-' | b'+');
    text.get(..end)?.iter().all(is_bound).then(|| text.get(end + 1..)).flatten()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::cursor::Value;
    use crate::leaf::check::{check, check_text, member};
    use crate::leaf::{EnumNames, JsonForm, Leaf, Part};

    fn list(leaf: Leaf) -> Leaf {
        Leaf::List(Box::new(leaf))
    }

    #[test]
    fn an_element_that_cannot_be_represented_is_null_and_named() {
        let mut out = Vec::new();
        let text = Value::Text(b"{0.5,NaN,1e21,-Infinity}");
        let error = list(Leaf::Float).write(text, &mut out).unwrap_err();
        assert_eq!(String::from_utf8(out).unwrap(), "[0.5,null,1e+21,null]");
        assert_eq!(error.element, Some(1));
        assert_eq!(error.to_string(), "Float cannot represent non numeric value: \"NaN\"");
    }

    #[test]
    fn an_element_that_cannot_be_represented_fails_the_value_around_its_list() {
        let members = [member("list", Part::Attribute(0), list(Leaf::Float))];
        let mut out = Vec::new();
        let text = Value::Text(b"(\"{NaN,1}\")");
        let error = Leaf::Composite(members.into()).write(text, &mut out).unwrap_err();
        assert_eq!(error.element, None);
    }

    #[test]
    fn elements_are_written_by_their_leaf() {
        check_text(&list(Leaf::Int), "{1,NULL,3}", "[1,null,3]");
        check_text(&list(Leaf::Int), "{}", "[]");
        check_text(&list(Leaf::Boolean), "{t,f}", "[true,false]");
        check_text(&list(Leaf::Float), "{1.5,1e+21}", "[1.5,1e+21]");
        check_text(&list(Leaf::Bytes), r#"{"\\xdead","\\x"}"#, r#"["\\xdead","\\x"]"#);
        check_text(
            &list(Leaf::Json(JsonForm::Text)),
            r#"{"{\"a\": \"b\\\"\"}","null"}"#,
            r#"["{\"a\":\"b\\\"\"}",null]"#,
        );
        check_text(
            &list(Leaf::Timestamp),
            r#"{"2020-01-02 03:04:05",infinity}"#,
            r#"["2020-01-02T03:04:05","infinity"]"#,
        );
    }

    #[test]
    fn quoted_elements_are_unescaped() {
        check_text(
            &list(Leaf::Text),
            r#"{a,"b c","d\"e\\f","NULL","",NULL,"{,}",null}"#,
            r#"["a","b c","d\"e\\f","NULL","",null,"{,}","null"]"#,
        );
        let names =
            [("sad", "SAD"), ("very-happy", "VERY_HAPPY"), ("1st", "_1ST"), ("", "_EMPTY_")];
        let names = names.map(|(label, name)| (label.into(), name.into()));
        check_text(
            &list(Leaf::Enum(Arc::new(EnumNames::new(names)))),
            r#"{sad,NULL,very-happy,1st,""}"#,
            r#"["SAD",null,"VERY_HAPPY","_1ST","_EMPTY_"]"#,
        );
    }

    #[test]
    fn dimensions_become_one_list() {
        check_text(&list(Leaf::Int), "{{1,2},{3,4}}", "[1,2,3,4]");
        check_text(&list(Leaf::Int), "{{{1},{2}},{{3},{NULL}}}", "[1,2,3,null]");
    }

    #[test]
    fn bounds_are_left_out() {
        check_text(&list(Leaf::Int), "[0:1]={1,2}", "[1,2]");
        check_text(&list(Leaf::Int), "[-1:0][2:2]={{1},{2}}", "[1,2]");
    }

    #[test]
    fn a_null_element_of_a_composite_type_is_an_object_of_nulls() {
        let address = Leaf::Composite(Box::new([
            member("street", Part::Attribute(0), Leaf::Text),
            member("zip", Part::Attribute(1), Leaf::Int),
            member("t", Part::Typename, Leaf::Literal(b"\"Address\"".as_slice().into())),
        ]));
        check_text(
            &list(address.clone()),
            r#"{"(a,1)",NULL,"(,2)","(\"b \"\"c\"\" \\\\\",)"}"#,
            concat!(
                r#"[{"street":"a","zip":1,"t":"Address"},{"street":null,"zip":null,"t":"Address"},"#,
                r#"{"street":null,"zip":2,"t":"Address"},"#,
                r#"{"street":"b \"c\" \\","zip":null,"t":"Address"}]"#,
            ),
        );
        check_text(&list(address), "{}", "[]");
    }

    #[test]
    fn an_element_that_cannot_be_written_fails_the_list() {
        check_text(
            &list(Leaf::Float),
            "{1.5,NaN}",
            "Float cannot represent non numeric value: \"NaN\"",
        );
    }

    #[test]
    fn other_values_are_errors() {
        let expect = "List cannot represent a value that is not an array";
        for text in [
            "", "{", "}", "1", "{1", "{1,}", "{,1}", "{1}}", "{{1}", "{1}{2}", "[0:1]", "[x]={1}",
            "{1}x", "[1,2]",
        ] {
            check_text(&list(Leaf::Int), text, &format!("{expect}: \"{text}\""));
        }
        check_text(&list(Leaf::Text), "{\"a}", &format!("{expect}: \"{{\\\"a}}\""));
        check_text(&list(Leaf::Text), "{\"a\"b}", &format!("{expect}: \"{{\\\"a\\\"b}}\""));
        check(&list(Leaf::Int), Value::Integer(1), &format!("{expect}: 1"));
    }
}
