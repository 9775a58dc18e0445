//! Changes of parts of JSON texts, as the operators `||`, `-` and `#-` of PostgreSQL's `jsonb`
//! (<https://www.postgresql.org/docs/current/functions-json.html>). Parts that stay keep their text;
//! members of a changed object are in the order of their keys.

use std::collections::BTreeMap;

use rusqlite::Error;
use serde_json::value::RawValue;

/// A JSON text with its direct parts.
enum Parts<'t> {
    List(Vec<&'t RawValue>),
    Object(BTreeMap<String, &'t RawValue>),
    Scalar(&'t RawValue),
}

/// The members of two objects, of which those of the second count; otherwise the elements of both,
/// where a value that is no list is one element.
pub(super) fn merge(left: &str, right: &str) -> Result<String, Error> {
    Ok(match (parts(left)?, parts(right)?) {
        (Parts::Object(mut left), Parts::Object(right)) => {
            left.extend(right);
            object(&left)
        }
        (left, right) => {
            let (left, right) = (elements(left), elements(right));
            list(left.into_iter().chain(right))
        }
    })
}

/// An object without a key, or a list without the texts that equal it.
pub(super) fn delete_key(json: &str, key: &str) -> Result<String, Error> {
    match parts(json)? {
        Parts::Object(mut members) => {
            members.remove(key);
            Ok(object(&members))
        }
        Parts::List(items) => {
            let is_key = |item: &&RawValue| {
                serde_json::from_str::<String>(item.get()).is_ok_and(|text| text == key)
            };
            Ok(list(items.into_iter().filter(|item| !is_key(item)).map(text)))
        }
        Parts::Scalar(_) => Err(refused("cannot delete from scalar")),
    }
}

/// A list without the element of an index; a negative one counts from the end.
pub(super) fn delete_element(json: &str, index: i64) -> Result<String, Error> {
    match parts(json)? {
        Parts::List(items) => {
            let place = place(index, items.len());
            Ok(without_place(&items, place))
        }
        Parts::Object(_) => Err(refused("cannot delete from object using integer index")),
        Parts::Scalar(_) => Err(refused("cannot delete from scalar")),
    }
}

/// The value without the one at the end of a path, if it has that.
pub(super) fn delete_path(json: &str, path: &str) -> Result<String, Error> {
    let Ok(path) = serde_json::from_str::<Vec<String>>(path) else {
        return Err(refused("a path is a list of texts"));
    };
    if let Parts::Scalar(_) = parts(json)? {
        return Err(refused("cannot delete from scalar"));
    }
    at_path(json, &path, 1)
}

/// The value without the one at the end of a path, whose first item has this position.
fn at_path(json: &str, path: &[String], position: usize) -> Result<String, Error> {
    let Some((first, rest)) = path.split_first() else { return Ok(json.to_owned()) };
    match parts(json)? {
        Parts::Object(mut members) => {
            if rest.is_empty() {
                members.remove(first);
                return Ok(object(&members));
            }
            let Some(inner) = members.get(first.as_str()) else { return Ok(json.to_owned()) };
            let inner = RawValue::from_string(at_path(inner.get(), rest, position + 1)?)
                .map_err(unreadable)?;
            members.insert(first.clone(), &inner);
            Ok(object(&members))
        }
        Parts::List(mut items) => {
            let Ok(index) = first.parse::<i64>() else {
                let text =
                    format!("path element at position {position} is not an integer: \"{first}\"");
                return Err(refused(&text));
            };
            let place = place(index, items.len());
            if rest.is_empty() {
                return Ok(without_place(&items, place));
            }
            let item = place.and_then(|place| items.get_mut(place));
            let Some(item) = item else { return Ok(json.to_owned()) };
            let inner = RawValue::from_string(at_path(item.get(), rest, position + 1)?)
                .map_err(unreadable)?;
            *item = &inner;
            Ok(list(items.into_iter().map(text)))
        }
        Parts::Scalar(_) => Ok(json.to_owned()),
    }
}

/// The place of an index, of which a negative one counts from the end.
fn place(index: i64, length: usize) -> Option<usize> {
    match usize::try_from(index) {
        Ok(place) => Some(place),
        Err(_) => length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}

fn without_place(items: &[&RawValue], place: Option<usize>) -> String {
    let items = items.iter().enumerate().filter(|(own, _)| Some(*own) != place);
    list(items.map(|(_, item)| item.get()))
}

fn parts(json: &str) -> Result<Parts<'_>, Error> {
    match json.trim_start().as_bytes().first() {
        Some(b'[') => serde_json::from_str(json).map(Parts::List),
        Some(b'{') => serde_json::from_str(json).map(Parts::Object),
        _ => serde_json::from_str(json).map(Parts::Scalar),
    }
    .map_err(unreadable)
}

fn elements<'t>(parts: Parts<'t>) -> Vec<String> {
    match parts {
        Parts::List(items) => items.into_iter().map(|item| item.get().to_owned()).collect(),
        Parts::Object(members) => vec![object(&members)],
        Parts::Scalar(value) => vec![value.get().to_owned()],
    }
}

fn text(value: &RawValue) -> &str {
    value.get()
}

fn list<T: AsRef<str>>(items: impl Iterator<Item = T>) -> String {
    let mut out = String::from("[");
    for (place, item) in items.enumerate() {
        out.push_str(if place == 0 { "" } else { "," });
        out.push_str(item.as_ref());
    }
    out.push(']');
    out
}

fn object(members: &BTreeMap<String, &RawValue>) -> String {
    let mut out = String::from("{");
    for (place, (name, value)) in members.iter().enumerate() {
        out.push_str(if place == 0 { "" } else { "," });
        response::escape::push_string(name, &mut out);
        out.push(':');
        out.push_str(value.get());
    }
    out.push('}');
    out
}

/// The beginning of the texts of such errors: with a text, an error of a function has no code.
pub(super) const REFUSED: &str = "invalid change of JSON: ";

/// An error of the request: a value that the column's content does not accept.
fn refused(message: &str) -> Error {
    let mismatch = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_MISMATCH);
    Error::SqliteFailure(mismatch, Some(format!("{REFUSED}{message}")))
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` gives its error away")]
fn unreadable(error: serde_json::Error) -> Error {
    refused(&format!("a value that is no JSON: {error}"))
}

#[cfg(test)]
mod tests {
    use super::{REFUSED, delete_element, delete_key, delete_path, merge};

    #[test]
    fn parts_of_json_change_as_in_postgresql() {
        let check = |found: Result<String, rusqlite::Error>, expect: &str| match found {
            Ok(found) => assert_eq!(found, expect),
            Err(error) => assert_eq!(error.to_string().strip_prefix(REFUSED), Some(expect)),
        };
        check(merge(r#"{"b":1,"a":2}"#, r#"{"a":{"x":1.50}}"#), r#"{"a":{"x":1.50},"b":1}"#);
        check(merge("[1, 2]", "[3]"), "[1,2,3]");
        check(merge("[1]", r#"{"a":1}"#), r#"[1,{"a":1}]"#);
        check(merge(r#"{"a":1}"#, "[1]"), r#"[{"a":1},1]"#);
        check(merge("1", r#""x""#), r#"[1,"x"]"#);
        check(
            merge("{}", "{"),
            "a value that is no JSON: EOF while parsing an object at line 1 column 1",
        );
        check(delete_key(r#"{"a":1,"b":2}"#, "a"), r#"{"b":2}"#);
        check(delete_key(r#"{"a":1}"#, "b"), r#"{"a":1}"#);
        check(delete_key(r#"["a",1,"b","a"]"#, "a"), r#"[1,"b"]"#);
        check(delete_key("1", "a"), "cannot delete from scalar");
        check(delete_element("[1,2,3]", 1), "[1,3]");
        check(delete_element("[1,2,3]", -1), "[1,2]");
        check(delete_element("[1,2,3]", 3), "[1,2,3]");
        check(delete_element("[1,2,3]", -4), "[1,2,3]");
        check(delete_element("[1]", i64::MIN), "[1]");
        check(delete_element("{}", 0), "cannot delete from object using integer index");
        check(delete_element("null", 0), "cannot delete from scalar");
        check(
            delete_path(r#"{"a":[1,{"b":2,"c":3}]}"#, r#"["a","1","b"]"#),
            r#"{"a":[1,{"c":3}]}"#,
        );
        check(delete_path(r#"{"a":[1,2]}"#, r#"["a","-1"]"#), r#"{"a":[1]}"#);
        check(delete_path(r#"{"a":1}"#, r#"["a","b"]"#), r#"{"a":1}"#);
        check(delete_path(r#"{"a":1}"#, r#"["b","c"]"#), r#"{"a":1}"#);
        check(delete_path(r#"{"a":1}"#, "[]"), r#"{"a":1}"#);
        let message = "path element at position 1 is not an integer: \"x\"";
        check(delete_path("[1]", r#"["x"]"#), message);
        check(delete_path("[1]", r#"[1]"#), "a path is a list of texts");
    }
}
