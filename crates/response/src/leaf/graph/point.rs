//! Points, geographic and not.

use super::super::member::{no_such_part, write_members};
use super::super::number::write_integer;
use super::super::{LeafError, Member, Part};
use super::number::write_float;
use crate::cursor::Value;
use crate::packed::{Packed, begin};

const EXPECTED: &str = "Point";

struct Point {
    srid: i64,
    x: f64,
    y: f64,
    z: Option<f64>,
}

/// Appends an object of the selected members.
pub(in super::super) fn write_point(
    members: &[Member],
    value: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    let malformed = || LeafError::new(EXPECTED, "a value that is not a point", value);
    let point = Point::read(value).ok_or_else(malformed)?;
    write_members(members, out, |member, out| {
        let coordinate = match member.part {
            Part::X | Part::Longitude => Some(point.x),
            Part::Y | Part::Latitude => Some(point.y),
            Part::Z | Part::Height => point.z,
            Part::Srid => {
                write_integer(point.srid, out);
                return Ok(());
            }
            Part::Crs => {
                out.extend_from_slice(point.crs());
                return Ok(());
            }
            _ => return Err(no_such_part(EXPECTED, value)),
        };
        match coordinate {
            Some(coordinate) => write_float(Value::Real(coordinate), out),
            None => {
                out.extend_from_slice(b"null");
                Ok(())
            }
        }
    })
}

impl Point {
    fn read(value: Value<'_>) -> Option<Self> {
        let Value::Packed(bytes) = value else { return None };
        let Packed::Structure { tag: tag @ (b'X' | b'Y'), mut fields } = begin(bytes).ok()? else {
            return None;
        };
        let Packed::Integer(srid) = fields.next()?.ok()? else { return None };
        let mut coordinate = || match fields.next()?.ok()? {
            Packed::Float(float) => Some(float),
            _ => None,
        };
        let (x, y) = (coordinate()?, coordinate()?);
        let z = if tag == b'Y' { Some(coordinate()?) } else { None };
        Some(Self { srid, x, y, z })
    }

    /// The name of its coordinate reference system, in quotes.
    fn crs(&self) -> &'static [u8] {
        match self.srid {
            4326 => b"\"wgs-84\"",
            4979 => b"\"wgs-84-3d\"",
            7203 => b"\"cartesian\"",
            9157 => b"\"cartesian-3d\"",
            _ => b"\"\"",
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cursor::Value;
    use crate::leaf::check::{check, member};
    use crate::leaf::{Leaf, Part};

    fn packed(tag: u8, srid: i16, coordinates: &[f64]) -> Vec<u8> {
        let count = u8::try_from(coordinates.len()).unwrap() + 1;
        let mut out = vec![0xb0 + count, tag, 0xc9];
        out.extend(srid.to_be_bytes());
        for coordinate in coordinates {
            out.push(0xc1);
            out.extend(coordinate.to_be_bytes());
        }
        out
    }

    fn point(parts: &[(&str, Part)]) -> Leaf {
        let members = parts.iter().map(|(name, part)| member(name, *part, Leaf::Float));
        Leaf::Point(members.collect())
    }

    #[test]
    fn members_are_those_selected() {
        let geographic = point(&[
            ("latitude", Part::Latitude),
            ("longitude", Part::Longitude),
            ("height", Part::Height),
            ("crs", Part::Crs),
            ("srid", Part::Srid),
        ]);
        check(
            &geographic,
            Value::Packed(&packed(b'X', 4326, &[12.5, -0.25])),
            r#"{"latitude":-0.25,"longitude":12.5,"height":null,"crs":"wgs-84","srid":4326}"#,
        );
        check(
            &geographic,
            Value::Packed(&packed(b'Y', 4979, &[1.0, 2.0, 0.0])),
            r#"{"latitude":2,"longitude":1,"height":0,"crs":"wgs-84-3d","srid":4979}"#,
        );
        let cartesian = point(&[("x", Part::X), ("z", Part::Z), ("c", Part::Crs), ("y", Part::Y)]);
        check(
            &cartesian,
            Value::Packed(&packed(b'X', 7203, &[1e21, 2.0])),
            r#"{"x":1e+21,"z":null,"c":"cartesian","y":2}"#,
        );
        check(
            &cartesian,
            Value::Packed(&packed(b'Y', 9157, &[0.5, 2.0, -3.0])),
            r#"{"x":0.5,"z":-3,"c":"cartesian-3d","y":2}"#,
        );
    }

    #[test]
    fn other_values_are_errors() {
        let leaf = point(&[("x", Part::X)]);
        let expect = "Point cannot represent a value that is not a point";
        check(&leaf, Value::Packed(b"\x90"), &format!("{expect}: a list"));
        check(&leaf, Value::Packed(&packed(b'X', 4326, &[1.0])), &format!("{expect}: a Point"));
        let not_finite = packed(b'X', 7203, &[f64::NAN, 0.0]);
        let expect = "Float cannot represent non numeric value: NaN";
        check(&leaf, Value::Packed(&not_finite), expect);
    }
}
