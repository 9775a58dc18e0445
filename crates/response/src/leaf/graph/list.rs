//! Lists.

use super::super::{Leaf, LeafError};
use crate::cursor::Value;
use crate::packed::{Packed, begin};

/// Appends the elements of a list. The library's lists have no nullable elements, so that one that
/// cannot be represented fails the list.
pub(in super::super) fn write_list(
    inner: &Leaf,
    value: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    let malformed = || LeafError::new("List", "a value that is not a list", value);
    let Value::Packed(bytes) = value else { return Err(malformed()) };
    let Ok(Packed::List(mut elements)) = begin(bytes) else { return Err(malformed()) };
    out.push(b'[');
    let mut place = 0;
    loop {
        let bytes = elements.bytes();
        let Some(element) = elements.next() else { break };
        if place > 0 {
            out.push(b',');
        }
        let element = Value::of_packed(element.map_err(|_| malformed())?, bytes);
        let failed =
            |error: LeafError| LeafError { element: Some(place), fails_list: true, ..error };
        if element == Value::Null {
            return Err(failed(LeafError::new("List", "null as an element", value)));
        }
        if !inner.write_usual(element, out) {
            inner.write(element, out).map_err(failed)?;
        }
        place += 1;
    }
    out.push(b']');
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::cursor::Value;
    use crate::leaf::check::{check, check_text};
    use crate::leaf::{EnumNames, GraphLeaf, Leaf};

    fn list(inner: Leaf) -> Leaf {
        Leaf::List(Box::new(inner))
    }

    #[test]
    fn elements_are_written_by_their_leaf() {
        let leaf = list(Leaf::Graph(GraphLeaf::String));
        check(&leaf, Value::Packed(b"\x93\x81a\x83b\"c\x80rest"), r#"["a","b\"c",""]"#);
        check(&leaf, Value::Packed(b"\x90"), "[]");
        let leaf = list(Leaf::Graph(GraphLeaf::Int));
        check(&leaf, Value::Packed(b"\xd4\x02\x01\xc9\x01\x00"), "[1,256]");
        check(
            &list(Leaf::Graph(GraphLeaf::Boolean)),
            Value::Packed(b"\x92\xc3\xc2"),
            "[true,false]",
        );
        let leaf = list(Leaf::Graph(GraphLeaf::Date));
        check(&leaf, Value::Packed(b"\x92\xb1D\x00\xb1D\x01"), r#"["1970-01-01","1970-01-02"]"#);
        let names = [("sad", "SAD")].map(|(label, name)| (label.into(), name.into()));
        let leaf = list(Leaf::Enum(Arc::new(EnumNames::new(names))));
        check(&leaf, Value::Packed(b"\x91\x83sad"), r#"["SAD"]"#);
    }

    #[test]
    fn an_element_that_cannot_be_represented_fails_the_list_and_is_named() {
        let leaf = list(Leaf::Graph(GraphLeaf::Int));
        let mut out = Vec::new();
        let error = leaf.write(Value::Packed(b"\x92\x01\x90"), &mut out).unwrap_err();
        assert_eq!((error.element, error.fails_list), (Some(1), true));
        assert_eq!(error.to_string(), "Int cannot represent non-integer value: a list");
        let error = leaf.write(Value::Packed(b"\x91\xc0"), &mut out).unwrap_err();
        assert_eq!((error.element, error.fails_list), (Some(0), true));
    }

    #[test]
    fn other_values_are_errors() {
        let leaf = list(Leaf::Graph(GraphLeaf::Int));
        let expect = "List cannot represent a value that is not a list";
        check(&leaf, Value::Packed(b"\xa0"), &format!("{expect}: a map"));
        check(&leaf, Value::Packed(b"\x92\x01"), &format!("{expect}: a list"));
        check_text(&leaf, "{1", "List cannot represent a value that is not an array: \"{1\"");
    }
}
