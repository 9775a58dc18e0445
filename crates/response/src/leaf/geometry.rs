//! Geometries in GeoJSON, as objects of their coordinates.

use super::member::{no_such_part, write_members};
use super::number::write_float;
use super::{Leaf, LeafError, Member, Part};
use crate::cursor::Value;

const EXPECTED: &str = "Geometry";

/// The name of the member with the coordinates.
const COORDINATES: &[u8] = b"\"coordinates\"";

/// Appends an object of the selected parts; a list of such, if the value is one.
pub(super) fn write_geometry(
    members: &[Member],
    value: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    let malformed = || LeafError::new(EXPECTED, "a value that is not GeoJSON", value);
    let Value::Text(text) = value else { return Err(malformed()) };
    if !text.trim_ascii_start().starts_with(b"[") {
        return write_one(members, text, out).ok_or_else(malformed)?;
    }
    let items = elements(text).ok_or_else(malformed)?;
    write_list(&items, out, |item, out| match item.trim_ascii() {
        b"null" => {
            out.extend_from_slice(b"null");
            Ok(())
        }
        item => write_one(members, item, out).ok_or_else(malformed)?,
    })
}

fn write_one(members: &[Member], text: &[u8], out: &mut Vec<u8>) -> Option<Result<(), LeafError>> {
    let place = text.windows(COORDINATES.len()).position(|own| own == COORDINATES)?;
    let rest = text.get(place + COORDINATES.len()..)?.trim_ascii_start();
    let coordinates = rest.strip_prefix(b":")?.trim_ascii_start();
    Some(write_coordinates(members, coordinates, out))
}

/// Appends an object of the parts of an array.
fn write_coordinates(members: &[Member], array: &[u8], out: &mut Vec<u8>) -> Result<(), LeafError> {
    let value = Value::Text(array);
    let malformed = || LeafError::new(EXPECTED, "a value that is not GeoJSON", value);
    let items = elements(array).ok_or_else(malformed)?;
    let number = |place: usize, out: &mut Vec<u8>| {
        let number = items.get(place).ok_or_else(malformed)?;
        write_float(Value::Text(number.trim_ascii()), out)
    };
    write_members(members, out, |member, out| match (member.part, &member.leaf) {
        (Part::Longitude, _) => number(0, out),
        (Part::Latitude, _) => number(1, out),
        (Part::Elements, Leaf::List(element)) => match &**element {
            Leaf::Geometry(members) => {
                write_list(&items, out, |item, out| write_coordinates(members, item, out))
            }
            _ => Err(no_such_part(EXPECTED, value)),
        },
        _ => Err(no_such_part(EXPECTED, value)),
    })
}

fn write_list(
    items: &[&[u8]],
    out: &mut Vec<u8>,
    mut write: impl FnMut(&[u8], &mut Vec<u8>) -> Result<(), LeafError>,
) -> Result<(), LeafError> {
    out.push(b'[');
    for (place, item) in items.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write(item, out)?;
    }
    out.push(b']');
    Ok(())
}

/// The elements of an array at the beginning of a text; `None` if there is none. Texts in it have
/// no brackets: they are names of types.
fn elements(text: &[u8]) -> Option<Vec<&[u8]>> {
    let inside = text.trim_ascii_start().strip_prefix(b"[")?;
    let (mut items, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (place, byte) in inside.iter().enumerate() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' if depth == 0 => {
                let last = inside.get(start..place)?;
                if !(items.is_empty() && last.trim_ascii().is_empty()) {
                    items.push(last);
                }
                return Some(items);
            }
            b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                items.push(inside.get(start..place)?);
                start = place + 1;
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::leaf::check::{check_text, member};
    use crate::leaf::{Leaf, Part};

    fn point() -> Leaf {
        let members =
            [member("x", Part::Longitude, Leaf::Float), member("y", Part::Latitude, Leaf::Float)];
        Leaf::Geometry(Box::new(members))
    }

    fn list(name: &str, element: Leaf) -> Leaf {
        Leaf::Geometry(Box::new([member(name, Part::Elements, Leaf::List(Box::new(element)))]))
    }

    #[test]
    fn coordinates_are_objects() {
        let text = r#"{"type": "Point", "coordinates": [1.50, -2]}"#;
        check_text(&point(), text, r#"{"x":1.5,"y":-2}"#);
        let ring = list("points", point());
        let polygon = list("rings", ring);
        let text = r#"{"coordinates":[[[0,0],[1,0],[0.5,1],[0,0]],[]],"type":"Polygon"}"#;
        check_text(
            &polygon,
            text,
            r#"{"rings":[{"points":[{"x":0,"y":0},{"x":1,"y":0},{"x":0.5,"y":1},{"x":0,"y":0}]},{"points":[]}]}"#,
        );
        let text = r#"{"type":"MultiPolygon","coordinates":[[[[0,1]]]]}"#;
        check_text(
            &list("polygons", polygon),
            text,
            r#"{"polygons":[{"rings":[{"points":[{"x":0,"y":1}]}]}]}"#,
        );
    }

    #[test]
    fn lists_have_an_object_for_each() {
        let text = r#"[{"type":"Point","coordinates":[1,2]},null]"#;
        check_text(&point(), text, r#"[{"x":1,"y":2},null]"#);
        check_text(&point(), "[]", "[]");
    }

    #[test]
    fn other_values_are_errors() {
        for text in ["", "{}", r#"{"coordinates":1}"#, r#"{"coordinates":[1}"#] {
            let shown = text.replace('"', "\\\"");
            let shown = match text.contains(":[") || text.contains(":1") {
                true => shown.trim_start_matches(r#"{\"coordinates\":"#).to_owned(),
                false => shown,
            };
            check_text(
                &point(),
                text,
                &format!("Geometry cannot represent a value that is not GeoJSON: \"{shown}\""),
            );
        }
    }
}
