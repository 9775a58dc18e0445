//! Opaque texts that an API issues and accepts: node ids and cursors.
//!
//! Both are the base64 text of a JSON array. The parts that identify the *kind* of thing steer the
//! plan: a node id's tag, the names of a cursor's order, and which of its values are null. The
//! values themselves are parameters.

use std::borrow::Borrow;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use serde_json_bytes::Value as Json;

/// Formats of opaque texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpaqueKind {
    /// `[tag, value…]`
    NodeId,
    /// `[name…, [value…]]`, or `[name…, number]` for a position without values.
    Cursor,
    /// This constant text.
    Word(&'static str),
    /// `type:field:value`, not JSON: the tag is the text before the value.
    GlobalId,
    /// `[1, schema, table, value…]`: the version of the form, and as its tag `"schema", "table"`. What
    /// has another form has a shape, too, which tells why it is none.
    VersionedNodeId,
    /// An object, whose members may be objects: the tags are the paths of its values, sorted.
    MemberCursor,
}

/// The parts of an opaque text that steer the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpaqueShape {
    /// The tag of a node id, or the names of a cursor's order.
    pub tags: Vec<Box<str>>,
    pub values: OpaqueValues,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpaqueValues {
    /// For each value true if it is null.
    Nulls(Vec<bool>),
    /// A row's number.
    Number,
    /// It has not the form of its kind, for this reason.
    Invalid(Box<str>),
}

crate::heap_size!(plain OpaqueKind);
crate::heap_size!(struct OpaqueShape { tags, values });
crate::heap_size!(
    enum OpaqueValues {
        Nulls(nulls),
        Number,
        Invalid(reason),
    }
);

/// Reads the steering parts of an opaque text; `None` if it is invalid.
#[must_use]
pub fn read_opaque(text: &str, kind: OpaqueKind) -> Option<OpaqueShape> {
    if let OpaqueKind::Word(word) = kind {
        let values = OpaqueValues::Nulls(Vec::new());
        return (text == word).then_some(OpaqueShape { tags: Vec::new(), values });
    }
    if kind == OpaqueKind::GlobalId {
        let text = String::from_utf8(decode(text)?).ok()?;
        let values = OpaqueValues::Nulls(vec![false]);
        return Some(OpaqueShape { tags: vec![global_tag(&text)?.into()], values });
    }
    match kind {
        OpaqueKind::VersionedNodeId => return Some(versioned_node_id(text)),
        OpaqueKind::MemberCursor => return member_cursor(text),
        OpaqueKind::NodeId | OpaqueKind::Cursor | OpaqueKind::Word(_) | OpaqueKind::GlobalId => {}
    }
    let Json::Array(mut items) = decode_opaque(text)? else { return None };
    let is_null = |value: &Json| matches!(value, Json::Null);
    let (tags, values) = match kind {
        OpaqueKind::NodeId => {
            let values = items.get(1..)?.iter().map(is_null).collect();
            items.truncate(1);
            (items, OpaqueValues::Nulls(values))
        }
        OpaqueKind::Cursor => {
            let values = match items.pop()? {
                Json::Array(values) => OpaqueValues::Nulls(values.iter().map(is_null).collect()),
                Json::Number(number) if number.as_u64().is_some() => OpaqueValues::Number,
                Json::Null
                | Json::Bool(_)
                | Json::Number(_)
                | Json::String(_)
                | Json::Object(_) => return None,
            };
            (items, values)
        }
        OpaqueKind::Word(_)
        | OpaqueKind::GlobalId
        | OpaqueKind::VersionedNodeId
        | OpaqueKind::MemberCursor => return None,
    };
    let tags = tags.iter().map(|tag| tag.as_str().map(Into::into));
    Some(OpaqueShape { tags: tags.collect::<Option<_>>()?, values })
}

/// The tag of [`OpaqueKind::VersionedNodeId`] for a table.
#[must_use]
pub fn versioned_tag(schema: &str, table: &str) -> String {
    format!("{}, {}", Json::from(schema), Json::from(table))
}

/// The shape of an id with a version, with the reason if it is none.
fn versioned_node_id(text: &str) -> OpaqueShape {
    let (tags, values) = match read_versioned(text) {
        Ok((tag, nulls)) => (vec![tag.into()], OpaqueValues::Nulls(nulls)),
        Err(reason) => (Vec::new(), OpaqueValues::Invalid(reason.into())),
    };
    OpaqueShape { tags, values }
}

/// The tag, and for each value true if it is null.
fn read_versioned(text: &str) -> Result<(String, Vec<bool>), String> {
    let json = decode_opaque(text).ok_or("Failed reading: not a valid json value")?;
    let items = match json {
        Json::Array(items) => items,
        Json::Null => return Err(unexpected("Null")),
        Json::Bool(_) => return Err(unexpected("Boolean")),
        Json::Number(_) => return Err(unexpected("Number")),
        Json::String(_) => return Err(unexpected("String")),
        Json::Object(_) => return Err(unexpected("Object")),
    };
    match items.first() {
        None => Err("unexpected GUID format, found empty list".into()),
        Some(Json::Number(version)) if version.as_f64() == Some(1.0) => match &items[1..] {
            [Json::String(schema), Json::String(table), values @ ..] if !values.is_empty() => {
                let nulls = values.iter().map(|value| matches!(value, Json::Null)).collect();
                Ok((versioned_tag(schema.as_str(), table.as_str()), nulls))
            }
            _ => Err("GUID version 1: expecting schema name, table name and at least one column \
                      value"
                .into()),
        },
        Some(Json::Number(version)) => {
            let version = version.as_f64().unwrap_or_default();
            Err(format!("unsupported GUID version: {version:?}"))
        }
        Some(_) => Err("unexpected GUID format, needs to start with a version number".into()),
    }
}

fn unexpected(kind: &str) -> String {
    format!("parsing node id failed, expected Array, but encountered {kind}")
}

/// A path as a tag of [`OpaqueKind::MemberCursor`]: tags sort as their paths do.
#[must_use]
pub fn member_tag<S: Borrow<str>>(path: &[S]) -> Box<str> {
    path.join("\0").into()
}

fn member_cursor(text: &str) -> Option<OpaqueShape> {
    let Json::Object(members) = decode_opaque(text)? else { return None };
    let mut found = Vec::new();
    add_members(&members, &mut Vec::new(), &mut found);
    found.sort_unstable();
    let (tags, nulls) = found.into_iter().unzip();
    Some(OpaqueShape { tags, values: OpaqueValues::Nulls(nulls) })
}

fn add_members(
    members: &serde_json_bytes::Map<serde_json_bytes::ByteString, Json>,
    path: &mut Vec<Box<str>>,
    found: &mut Vec<(Box<str>, bool)>,
) {
    for (name, value) in members {
        path.push(name.as_str().into());
        match value {
            Json::Object(inner) => add_members(inner, path, found),
            value => found.push((member_tag(path), matches!(value, Json::Null))),
        }
        path.pop();
    }
}

/// The JSON of an opaque text.
#[must_use]
pub fn decode_opaque(text: &str) -> Option<Json> {
    serde_json::from_slice(&decode(text)?).ok()
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let bytes = match text.ends_with('=') {
        true => STANDARD.decode(text),
        false => STANDARD_NO_PAD.decode(text),
    };
    bytes.ok()
}

/// The `type:field` of an id that has both, and a value.
fn global_tag(id: &str) -> Option<&str> {
    let (r#type, rest) = id.split_once(':')?;
    let (field, value) = rest.split_once(':')?;
    let is_whole = !r#type.is_empty() && !field.is_empty() && !value.is_empty();
    let end = r#type.len() + 1 + field.len();
    id.get(..end).filter(|_| is_whole)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::{OpaqueKind, OpaqueShape, OpaqueValues, read_opaque};

    fn check(json: &str, kind: OpaqueKind, expect: Option<(&[&str], OpaqueValues)>) {
        let expect = expect.map(|(tags, values)| OpaqueShape {
            tags: tags.iter().map(|tag| (*tag).into()).collect(),
            values,
        });
        assert_eq!(read_opaque(&STANDARD.encode(json), kind), expect, "{json}");
    }

    #[test]
    fn a_word_is_itself_and_nothing_else() {
        let found = |text| read_opaque(text, OpaqueKind::Word("query")).is_some();
        assert!(found("query"));
        assert!(!found("Query") && !found("cXVlcnk=") && !found(""));
    }

    #[test]
    fn a_node_id_has_one_tag_and_values_that_may_be_texts() {
        let values = OpaqueValues::Nulls(vec![false, true]);
        check("[\"tags\",\"a\",null]", OpaqueKind::NodeId, Some((&["tags"], values)));
        check("[1,\"a\"]", OpaqueKind::NodeId, None);
        check("[]", OpaqueKind::NodeId, None);
        check("{}", OpaqueKind::NodeId, None);
    }

    #[test]
    fn a_cursor_has_names_and_values_or_a_number() {
        let values = OpaqueValues::Nulls(vec![true, false]);
        check("[\"a_asc\",\"b\",[null,1]]", OpaqueKind::Cursor, Some((&["a_asc", "b"], values)));
        check("[\"natural\",7]", OpaqueKind::Cursor, Some((&["natural"], OpaqueValues::Number)));
        check("[\"natural\",-7]", OpaqueKind::Cursor, None);
        check("[\"natural\",\"x\"]", OpaqueKind::Cursor, None);
    }

    #[test]
    fn a_global_id_has_a_type_a_field_and_a_value_with_any_letters() {
        let kind = OpaqueKind::GlobalId;
        for id in ["Movie:code:a", "Movie:code:a:b", "Movie:code:é"] {
            check(id, kind, Some((&["Movie:code"], OpaqueValues::Nulls(vec![false]))));
        }
        for id in ["Movie:code", "Movie:code:", ":code:a", "Movie::a", "", "[\"Movie\"]"] {
            check(id, kind, None);
        }
        assert_eq!(read_opaque("/w==", kind), None);
        assert_eq!(read_opaque("Movie:code:a", kind), None);
    }

    #[test]
    fn a_node_id_with_a_version_has_a_table_and_values_or_a_reason() {
        let nulls = OpaqueValues::Nulls(vec![false, true]);
        let tag: &[&str] = &["\"public\", \"a b\""];
        let kind = OpaqueKind::VersionedNodeId;
        check("[1, \"public\", \"a b\", 3, null]\n", kind, Some((tag, nulls)));
        for (json, reason) in [
            ("{", "Failed reading: not a valid json value"),
            ("{}", "parsing node id failed, expected Array, but encountered Object"),
            ("[]", "unexpected GUID format, found empty list"),
            ("[2, \"a\"]", "unsupported GUID version: 2.0"),
            ("[\"1\"]", "unexpected GUID format, needs to start with a version number"),
            (
                "[1, \"a\", \"b\"]",
                "GUID version 1: expecting schema name, table name and at least one column value",
            ),
        ] {
            check(json, kind, Some((&[], OpaqueValues::Invalid(reason.into()))));
        }
    }

    #[test]
    fn a_cursor_of_members_has_the_paths_of_its_values_in_their_order() {
        let kind = OpaqueKind::MemberCursor;
        let tags: &[&str] = &["a\0b", "a\0c\0d", "id"];
        let nulls = OpaqueValues::Nulls(vec![false, true, false]);
        check("{\"id\": 1, \"a\": {\"c\": {\"d\": null}, \"b\": [2]}}", kind, Some((tags, nulls)));
        check("[1]", kind, None);
        check("{", kind, None);
    }

    #[test]
    fn what_is_no_opaque_text_is_not_read() {
        assert_eq!(read_opaque("!", OpaqueKind::Cursor), None);
        assert_eq!(read_opaque("", OpaqueKind::Cursor), None);
        assert_eq!(read_opaque("cXVlcnk=", OpaqueKind::NodeId), None);
    }
}
