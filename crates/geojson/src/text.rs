//! The extended well-known text of a geometry: `SRID=4326;POINT(1 2)`.

use std::fmt::{self, Display, Formatter};

use crate::geometry::{Geometry, Position, Shape};

impl Display for Geometry {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "SRID={};", self.system)?;
        // All positions of a text have the same number of coordinates.
        self.shape.write(out, self.shape.has_height())
    }
}

impl Shape {
    fn has_height(&self) -> bool {
        let any = |positions: &[Position]| positions.iter().any(|position| position.z.is_some());
        match self {
            Self::Point(position) => position.z.is_some(),
            Self::MultiPoint(positions) | Self::LineString(positions) => any(positions),
            Self::MultiLineString(lines) | Self::Polygon(lines) => lines.iter().any(|one| any(one)),
            Self::MultiPolygon(polygons) => polygons.iter().flatten().any(|ring| any(ring)),
            Self::Collection(shapes) => shapes.iter().any(Self::has_height),
        }
    }

    fn write(&self, out: &mut Formatter<'_>, height: bool) -> fmt::Result {
        let position = |out: &mut Formatter<'_>, one: &Position| one.write(out, height);
        let line =
            |out: &mut Formatter<'_>, positions: &Vec<Position>| listed(out, positions, position);
        out.write_str(match self {
            Self::Point(_) => "POINT",
            Self::MultiPoint(_) => "MULTIPOINT",
            Self::LineString(_) => "LINESTRING",
            Self::MultiLineString(_) => "MULTILINESTRING",
            Self::Polygon(_) => "POLYGON",
            Self::MultiPolygon(_) => "MULTIPOLYGON",
            Self::Collection(_) => "GEOMETRYCOLLECTION",
        })?;
        if height {
            out.write_str(" Z")?;
        }
        match self {
            Self::Point(one) => listed(out, std::slice::from_ref(one), position),
            Self::MultiPoint(positions) => {
                listed(out, positions, |out, one| listed(out, std::slice::from_ref(one), position))
            }
            Self::LineString(positions) => listed(out, positions, position),
            Self::MultiLineString(lines) | Self::Polygon(lines) => listed(out, lines, line),
            Self::MultiPolygon(polygons) => {
                listed(out, polygons, |out, rings| listed(out, rings, line))
            }
            Self::Collection(shapes) => listed(out, shapes, |out, one| one.write(out, height)),
        }
    }
}

impl Position {
    fn write(self, out: &mut Formatter<'_>, height: bool) -> fmt::Result {
        // Without exponents, which are read back as the same numbers.
        write!(out, "{} {}", self.x, self.y)?;
        match height {
            true => write!(out, " {}", self.z.unwrap_or(0.0)),
            false => Ok(()),
        }
    }
}

/// Items in parentheses; none are ` EMPTY`.
fn listed<T>(
    out: &mut Formatter<'_>,
    items: &[T],
    write: impl Fn(&mut Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    if items.is_empty() {
        return out.write_str(" EMPTY");
    }
    out.write_str("(")?;
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.write_str(",")?;
        }
        write(out, item)?;
    }
    out.write_str(")")
}
