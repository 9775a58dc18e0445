//! Geometries in GeoJSON, and the text by which PostGIS reads them.
//!
//! PostGIS reads GeoJSON by a function only. Its types read well-known text, which has everything of
//! GeoJSON, so a value is a parameter like any other, in lists and in stored rows as well.
//! The crate `geojson` of crates.io was weighed against this: its errors are not those that clients
//! of Hasura expect, and it writes no well-known text.
//!
//! * `geometry`: geometries, read from JSON
//! * `text`: their well-known text
//!
//! <https://www.rfc-editor.org/rfc/rfc7946>, <https://postgis.net/docs/using_postgis_dbmanagement.html>

mod geometry;
mod text;

pub use geometry::{GeoJsonError, Geometry};

/// Returns an error if the text of a raster is no hexadecimal well-known binary.
///
/// # Errors
///
/// An odd number of digits, or another letter.
pub fn check_raster(text: &str) -> Result<(), GeoJsonError> {
    match text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok(()),
        false => Err(GeoJsonError::Raster),
    }
}

#[cfg(test)]
mod tests;
