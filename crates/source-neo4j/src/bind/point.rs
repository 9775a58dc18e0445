//! Objects that mean points.

use serde_json_bytes::{ByteString, Map, Value as Json};
use source::SourceError;

use super::super::wire::Pack;

/// The number of a system of coordinates of two dimensions, and of the one of three.
type Srids = [i64; 2];
const WGS_84: Srids = [4326, 4979];
const CARTESIAN: Srids = [7203, 9157];

pub(super) fn pack_geographic(
    object: &Map<ByteString, Json>,
    out: &mut Pack,
) -> Result<(), SourceError> {
    pack(object, ["longitude", "latitude", "height"], WGS_84, out)
}

pub(super) fn pack_cartesian(
    object: &Map<ByteString, Json>,
    out: &mut Pack,
) -> Result<(), SourceError> {
    pack(object, ["x", "y", "z"], CARTESIAN, out)
}

fn pack(
    object: &Map<ByteString, Json>,
    [x, y, z]: [&str; 3],
    [two, three]: Srids,
    out: &mut Pack,
) -> Result<(), SourceError> {
    let require = |name: &str| match coordinate(object, name)? {
        Some(coordinate) => Ok(coordinate),
        None => Err(SourceError::input(["a point must have a \"", name, "\""].concat())),
    };
    let (first, second) = (require(x)?, require(y)?);
    match coordinate(object, z)? {
        Some(third) => {
            out.structure(b'Y', 4);
            out.integer(three);
            out.float(first);
            out.float(second);
            out.float(third);
        }
        None => {
            out.structure(b'X', 3);
            out.integer(two);
            out.float(first);
            out.float(second);
        }
    }
    Ok(())
}

fn coordinate(object: &Map<ByteString, Json>, name: &str) -> Result<Option<f64>, SourceError> {
    match object.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Number(number)) => Ok(number.as_f64()),
        Some(Json::Bool(_) | Json::String(_) | Json::Array(_) | Json::Object(_)) => {
            Err(SourceError::input(["the \"", name, "\" of a point must be a number"].concat()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(
        text: &str,
        pack: fn(&Map<ByteString, Json>, &mut Pack) -> Result<(), SourceError>,
    ) -> Result<Vec<u8>, String> {
        let Ok(Json::Object(object)) = serde_json::from_str(text) else { panic!("{text}") };
        let mut out = Pack::new();
        pack(&object, &mut out).map_err(|error| String::from(error.message))?;
        Ok(out.as_bytes().to_vec())
    }

    /// This number of zeros as floats behind a head.
    fn zeros(head: &[u8], count: usize) -> Result<Vec<u8>, String> {
        Ok([head, &b"\xc1\0\0\0\0\0\0\0\0".repeat(count)].concat())
    }

    #[test]
    fn points_have_two_or_three_coordinates() {
        let two = packed(r#"{"longitude":0,"latitude":0,"height":null}"#, pack_geographic);
        assert_eq!(two, zeros(b"\xb3X\xc9\x10\xe6", 2));
        let three = packed(r#"{"x":0,"y":0.0,"z":0}"#, pack_cartesian);
        assert_eq!(three, zeros(b"\xb4Y\xc9\x23\xc5", 3));
    }

    #[test]
    fn a_point_without_a_coordinate_is_refused() {
        let missing = packed(r#"{"x":0}"#, pack_cartesian);
        assert_eq!(missing, Err("a point must have a \"y\"".to_owned()));
        let other = packed(r#"{"longitude":"1","latitude":0}"#, pack_geographic);
        assert_eq!(other, Err("the \"longitude\" of a point must be a number".to_owned()));
    }
}
