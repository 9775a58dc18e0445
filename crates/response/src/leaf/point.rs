//! Points as objects of their coordinates; those of a graph have another module.

use super::member::{no_such_part, write_members};
use super::number::write_float;
use super::{LeafError, Member, Part, graph};
use crate::cursor::Value;

const EXPECTED: &str = "Point";

/// Appends an object of the selected coordinates.
pub(super) fn write_point(
    members: &[Member],
    value: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    if let Value::Packed(_) = value {
        return graph::write_point(members, value, out);
    }
    let malformed = || LeafError::new(EXPECTED, "a value that is not a point", value);
    let Value::Text(text) = value else { return Err(malformed()) };
    let (x, y) = read_coordinates(text).ok_or_else(malformed)?;
    write_members(members, out, |member, out| match member.part {
        Part::X => write_float(Value::Text(x), out),
        Part::Y => write_float(Value::Text(y), out),
        _ => Err(no_such_part(EXPECTED, value)),
    })
}

fn read_coordinates(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = text.strip_prefix(b"(")?.strip_suffix(b")")?;
    let comma = inside.iter().position(|byte| *byte == b',')?;
    Some((inside.get(..comma)?, inside.get(comma + 1..)?))
}

#[cfg(test)]
mod tests {
    use crate::leaf::check::{check_text, member};
    use crate::leaf::{Leaf, Part};

    fn point() -> Leaf {
        let members = [member("x", Part::X, Leaf::Float), member("y", Part::Y, Leaf::Float)];
        Leaf::Point(Box::new(members))
    }

    #[test]
    fn coordinates_are_floats() {
        check_text(&point(), "(1.5,-2)", r#"{"x":1.5,"y":-2}"#);
        check_text(&point(), "(1e+21,0.1)", r#"{"x":1e+21,"y":0.1}"#);
    }

    #[test]
    fn other_values_are_errors() {
        for text in ["", "(1,2", "1,2", "(1)", ")("] {
            check_text(
                &point(),
                text,
                &format!("Point cannot represent a value that is not a point: \"{text}\""),
            );
        }
        check_text(&point(), "(NaN,1)", "Float cannot represent non numeric value: \"NaN\"");
    }
}
