//! Conditions on places: points, polygons and several polygons, which columns store as GeoJSON.
//!
//! The earth is a sphere with Dgraph's radius, and edges of polygons are arcs of great circles, so
//! areas around a pole and over the antimeridian are areas like any other. As on Dgraph, the holes
//! of a polygon count as a part of it.
//!
//! A condition has the same outcome on every database. SQLite calls [`Geometry::passes`] for each row;
//! PostgreSQL calls the functions of `geo.sql` with [`GeoCondition::numbers`]. The alternative was an
//! existing library for SQLite and an extension for PostgreSQL, which disagree on edges and on points
//! that are on them.
//!
//! * [`sphere`]: the geometry

pub mod sphere;

use std::f64::consts::PI;

use ir::GeoOperator;
use sphere::{Loop, Vector, angle, vector};

use crate::error::SourceError;

/// The radius of the earth in meters.
const RADIUS: f64 = 6_371_000.0;

/// More degrees than rounding changes.
const ROUNDED: f64 = 1e-6;

/// A stored value.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    Point(Vector),
    Areas(Vec<Loop>),
}

/// The operand of a condition, parsed once for all rows.
#[derive(Clone, Debug, PartialEq)]
pub enum GeoCondition {
    /// A point, and the largest angle from it.
    Near(Vector, f64),
    Within(Vec<Loop>),
    Contains(Geometry),
    Intersects(Vec<Loop>),
}

impl Geometry {
    /// Reads GeoJSON; `None` if it is no geometry of these kinds.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        Self::of_json(&serde_json::from_str(text).ok()?)
    }

    fn of_json(json: &serde_json::Value) -> Option<Self> {
        let coordinates = json.get("coordinates")?;
        match json.get("type")?.as_str()? {
            "Point" => Some(Self::Point(point(coordinates)?)),
            "Polygon" => Some(Self::Areas(vec![area(coordinates)?])),
            "MultiPolygon" => {
                Some(Self::Areas(coordinates.as_array()?.iter().map(area).collect::<Option<_>>()?))
            }
            _ => None,
        }
    }

    /// The number of its points.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Point(_) => 1,
            Self::Areas(areas) => areas.iter().map(|area| area.vertices.len()).sum(),
        }
    }

    /// Returns true if it passes a condition.
    #[must_use]
    pub fn passes(&self, wanted: &GeoCondition) -> bool {
        match (self, wanted) {
            (Self::Point(own), GeoCondition::Near(point, most)) => angle(*own, *point) <= *most,
            (Self::Areas(own), GeoCondition::Near(point, most)) => {
                own.iter().any(|area| area.is_near(*point, *most))
            }
            (Self::Point(own), GeoCondition::Within(areas) | GeoCondition::Intersects(areas)) => {
                areas.iter().any(|area| area.has(*own))
            }
            (Self::Areas(own), GeoCondition::Within(areas)) => {
                own.iter().all(|own| areas.iter().any(|area| area.contains(own)))
            }
            (Self::Areas(own), GeoCondition::Intersects(areas)) => {
                own.iter().any(|own| areas.iter().any(|area| area.intersects(own)))
            }
            (Self::Areas(own), GeoCondition::Contains(Self::Point(point))) => {
                own.iter().any(|area| area.has(*point))
            }
            (Self::Areas(own), GeoCondition::Contains(Self::Areas(areas))) => {
                areas.iter().all(|area| own.iter().any(|own| own.contains(area)))
            }
            (Self::Point(_), GeoCondition::Contains(_)) => false,
        }
    }
}

impl GeoCondition {
    /// Reads an operand, which is GeoJSON.
    ///
    /// # Errors
    ///
    /// The operand is no geometry of the operator, or a polygon is larger than a hemisphere.
    pub fn read(operator: GeoOperator, text: &str) -> Result<Self, SourceError> {
        let malformed = || SourceError::input("a geometry that this condition does not have");
        let json = serde_json::from_str(text).map_err(|_| malformed())?;
        let place = Geometry::of_json(&json).ok_or_else(too_large)?;
        match (operator, place) {
            (GeoOperator::Near, Geometry::Point(point)) => {
                let distance = json.get("distance").and_then(serde_json::Value::as_f64);
                Ok(Self::Near(point, distance.ok_or_else(malformed)? / RADIUS))
            }
            (GeoOperator::Within, Geometry::Areas(areas)) => Ok(Self::Within(areas)),
            (GeoOperator::Intersects, Geometry::Areas(areas)) => Ok(Self::Intersects(areas)),
            (GeoOperator::Contains, place) => Ok(Self::Contains(place)),
            (GeoOperator::Near, Geometry::Areas(_))
            | (GeoOperator::Within | GeoOperator::Intersects, Geometry::Point(_))
            | (GeoOperator::Distance(_) | GeoOperator::Spatial(_), _) => Err(malformed()),
        }
    }

    /// The operand as numbers: of a point its vector, and the angle; of areas the number of the
    /// vertices of each, and their vectors.
    #[must_use]
    pub fn numbers(&self) -> Vec<f64> {
        let of_areas = |areas: &[Loop]| {
            let mut numbers = Vec::new();
            for area in areas {
                numbers.push(area.vertices.len() as f64);
                numbers.extend(area.vertices.iter().flatten());
            }
            numbers
        };
        match self {
            Self::Near(point, most) => point.iter().copied().chain([*most]).collect(),
            Self::Within(areas)
            | Self::Intersects(areas)
            | Self::Contains(Geometry::Areas(areas)) => of_areas(areas),
            Self::Contains(Geometry::Point(point)) => [1.0].iter().chain(point).copied().collect(),
        }
    }

    /// A box in degrees around all places that may pass: west, south, east and north. As
    /// `thalweg.geo_box` it has all longitudes where it reaches the antimeridian or a pole.
    #[must_use]
    pub fn bounds(&self) -> [f64; 4] {
        let bounds = match self {
            Self::Near(point, most) => {
                let [longitude, latitude] = degrees(*point);
                let around = (most.min(PI / 2.0).sin() / latitude.to_radians().cos()).min(1.0);
                let (around, up) = (around.asin().to_degrees(), most.to_degrees());
                [longitude - around, latitude - up, longitude + around, latitude + up]
            }
            Self::Contains(Geometry::Point(point)) => {
                let [longitude, latitude] = degrees(*point);
                [longitude, latitude, longitude, latitude]
            }
            Self::Within(areas)
            | Self::Intersects(areas)
            | Self::Contains(Geometry::Areas(areas)) => {
                let points = areas.iter().flat_map(|area| &area.vertices);
                let start = [f64::INFINITY, f64::INFINITY, -f64::INFINITY, -f64::INFINITY];
                let [west, south, east, north] = points.fold(start, |all, point| {
                    let [x, y] = degrees(*point);
                    [all[0].min(x), all[1].min(y), all[2].max(x), all[3].max(y)]
                });
                let bulge = (east - west) * (east - west) / 360.0;
                [west, south - bulge, east, north + bulge]
            }
        };
        let [west, south, east, north] = bounds;
        let (south, north) = ((south - ROUNDED).max(-90.0), (north + ROUNDED).min(90.0));
        let (west, east) = (west - ROUNDED, east + ROUNDED);
        let is_all = west <= -180.0
            || east >= 180.0
            || east - west > 180.0
            || south <= -90.0
            || north >= 90.0;
        match is_all {
            true => [-180.0, south, 180.0, north],
            false => [west, south, east, north],
        }
    }

    /// The number of its points.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Near(..) => 1,
            Self::Contains(place) => place.size(),
            Self::Within(areas) | Self::Intersects(areas) => {
                areas.iter().map(|area| area.vertices.len()).sum()
            }
        }
    }
}

/// The error of a polygon whose inside is unknown.
pub(crate) fn too_large() -> SourceError {
    SourceError::input("a polygon must be smaller than a hemisphere")
}

/// The longitude and the latitude of a point.
fn degrees(point: Vector) -> [f64; 2] {
    let [x, y, z] = point;
    [y.atan2(x).to_degrees(), z.clamp(-1.0, 1.0).asin().to_degrees()]
}

fn point(coordinates: &serde_json::Value) -> Option<Vector> {
    let [longitude, latitude, ..] = coordinates.as_array()?.as_slice() else { return None };
    Some(vector(longitude.as_f64()?, latitude.as_f64()?))
}

/// The area within the outer ring of a polygon, whose last point is the first.
fn area(coordinates: &serde_json::Value) -> Option<Loop> {
    let ring = coordinates.as_array()?.first()?.as_array()?;
    let (_, vertices) = ring.split_last()?;
    Loop::new(vertices.iter().map(point).collect::<Option<_>>()?)
}

#[cfg(test)]
mod tests {
    use ir::GeoOperator;

    use super::GeoCondition;

    fn check(operator: GeoOperator, text: &str, expect: [f64; 4]) {
        let bounds = GeoCondition::read(operator, text).unwrap().bounds();
        for (bound, expect) in bounds.iter().zip(expect) {
            assert!((bound - expect).abs() < 0.01, "{text}: {bounds:?}");
        }
    }

    #[test]
    fn boxes_are_around_all_that_passes() {
        let near = |longitude: f64, latitude: f64| {
            format!(
                r#"{{"type":"Point","coordinates":[{longitude},{latitude}],"distance":111195}}"#
            )
        };
        check(GeoOperator::Near, &near(10.0, 0.0), [9.0, -1.0, 11.0, 1.0]);
        check(GeoOperator::Near, &near(10.0, 60.0), [8.0, 59.0, 12.0, 61.0]);
        check(GeoOperator::Near, &near(10.0, 89.5), [-180.0, 88.5, 180.0, 90.0]);
        check(GeoOperator::Near, &near(179.5, 0.0), [-180.0, -1.0, 180.0, 1.0]);
        let area = |west: f64, east: f64| {
            format!(
                r#"{{"type":"Polygon","coordinates":[[[{west},10],[{east},10],[{east},20],[{west},10]]]}}"#
            )
        };
        check(GeoOperator::Within, &area(0.0, 6.0), [0.0, 9.9, 6.0, 20.1]);
        check(GeoOperator::Within, &area(170.0, -170.0), [-180.0, -90.0, 180.0, 90.0]);
    }
}
