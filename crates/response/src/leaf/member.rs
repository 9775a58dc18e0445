//! The selected fields of a value that has parts.

use super::{LeafError, Member, Part};
use crate::cursor::Value;

/// Appends an object of the members, in their order; `write_part` appends the parts.
pub(super) fn write_members(
    members: &[Member],
    out: &mut Vec<u8>,
    mut write_part: impl FnMut(&Member, &mut Vec<u8>) -> Result<(), LeafError>,
) -> Result<(), LeafError> {
    out.push(b'{');
    for (place, member) in members.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        out.extend_from_slice(&member.key);
        match member.part {
            Part::Typename => member.leaf.write(Value::Null, out)?,
            _ => write_part(member, out)?,
        }
    }
    out.push(b'}');
    Ok(())
}

/// The error for a part that this kind of value does not have.
pub(super) fn no_such_part(expected: &'static str, value: Value<'_>) -> LeafError {
    LeafError::new(expected, "a part that it does not have", value)
}
