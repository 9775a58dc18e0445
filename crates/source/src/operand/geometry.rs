//! Geometries of the input, as GeoJSON.

use std::fmt::Write as _;

use ir::GeometryForm;

use super::given::Given;
use crate::error::SourceError;
use crate::geo::{Geometry, too_large};

/// The most points of one geometry.
const POINTS: usize = 10_000;

/// The fewest points of a ring, whose last point is the first.
const RING: usize = 4;

/// The GeoJSON of an object of the input.
pub(super) fn geometry(given: Given<'_>, form: &GeometryForm) -> Result<String, SourceError> {
    let mut points = 0;
    let mut writer = Writer { out: String::new(), points: &mut points };
    writer.write(given, form)?;
    let text = writer.out;
    match Geometry::read(&text) {
        Some(_) => Ok(text),
        None => Err(too_large()),
    }
}

struct Writer<'p> {
    out: String,
    points: &'p mut usize,
}

impl Writer<'_> {
    fn write(&mut self, given: Given<'_>, form: &GeometryForm) -> Result<(), SourceError> {
        let name = match form {
            GeometryForm::Point { .. } => "Point",
            GeometryForm::Polygon { .. } => "Polygon",
            GeometryForm::MultiPolygon { .. } => "MultiPolygon",
            GeometryForm::Near { distance, name, point } => {
                let meters = number(given, distance)?;
                if meters <= 0.0 {
                    let message = format!("\"{distance}\" must be greater than zero");
                    return Err(SourceError::input(message));
                }
                self.write(member(given, name)?, point)?;
                self.out.pop();
                // Writing to a string cannot fail.
                let _ = write!(self.out, ",\"distance\":{meters}}}");
                return Ok(());
            }
            GeometryForm::OneOf(members) => {
                let given = members.iter().filter_map(|(name, form)| {
                    let given = given.member(name).filter(|given| !given.is_null())?;
                    Some((given, form))
                });
                return match given.collect::<Vec<_>>().as_slice() {
                    [(given, form)] => self.write(*given, form),
                    _ => {
                        let names = members.iter().map(|(name, _)| format!("\"{name}\""));
                        let names = names.collect::<Vec<_>>().join(", ");
                        Err(SourceError::input(format!("exactly one of {names} must be given")))
                    }
                };
            }
        };
        let _ = write!(self.out, "{{\"type\":\"{name}\",\"coordinates\":");
        self.coordinates(given, form)?;
        self.out.push('}');
        Ok(())
    }

    fn coordinates(&mut self, given: Given<'_>, form: &GeometryForm) -> Result<(), SourceError> {
        match form {
            GeometryForm::Point { longitude, latitude } => {
                let position = position(given, (longitude, latitude))?;
                self.position(position)
            }
            GeometryForm::Polygon { rings, points, point } => {
                let rings = elements(given, rings)?;
                self.list(rings, |writer, ring| {
                    writer.ring(elements(ring, points)?, (point, points))
                })
            }
            GeometryForm::MultiPolygon { polygons, polygon } => {
                let polygons = elements(given, polygons)?;
                self.list(polygons, |writer, given| writer.coordinates(given, polygon))
            }
            GeometryForm::Near { .. } | GeometryForm::OneOf(_) => {
                Err(SourceError::input("a geometry within another"))
            }
        }
    }

    fn ring(
        &mut self,
        points: Vec<Given<'_>>,
        (form, name): (&GeometryForm, &str),
    ) -> Result<(), SourceError> {
        let GeometryForm::Point { longitude, latitude } = form else {
            return Err(SourceError::input("a ring of no points"));
        };
        let names = (&**longitude, &**latitude);
        let read = points.into_iter().map(|given| position(given, names));
        let positions = read.collect::<Result<Vec<_>, _>>()?;
        if positions.len() < RING {
            let message = format!("\"{name}\" of a ring must have {RING} points or more");
            return Err(SourceError::input(message));
        }
        if positions.first() != positions.last() {
            let message = format!("the last of \"{name}\" of a ring must equal the first");
            return Err(SourceError::input(message));
        }
        self.list(positions, Self::position)
    }

    fn position(&mut self, [longitude, latitude]: [f64; 2]) -> Result<(), SourceError> {
        *self.points += 1;
        if *self.points > POINTS {
            let message = format!("a geometry must have {POINTS} points at most");
            return Err(SourceError::input(message));
        }
        let _ = write!(self.out, "[{longitude},{latitude}]");
        Ok(())
    }

    fn list<T>(
        &mut self,
        items: Vec<T>,
        mut write: impl FnMut(&mut Self, T) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        self.out.push('[');
        for (place, item) in items.into_iter().enumerate() {
            self.out.push_str(if place == 0 { "" } else { "," });
            write(self, item)?;
        }
        self.out.push(']');
        Ok(())
    }
}

/// The coordinates of a point, in degrees.
fn position(
    given: Given<'_>,
    (longitude, latitude): (&str, &str),
) -> Result<[f64; 2], SourceError> {
    let degrees = |name: &str, most: f64| {
        let degrees = number(given, name)?;
        match degrees.abs() <= most {
            // Minus zero is zero.
            true => Ok(degrees + 0.0),
            false => {
                let message = format!("\"{name}\" must be between -{most} and {most}");
                Err(SourceError::input(message))
            }
        }
    };
    Ok([degrees(longitude, 180.0)?, degrees(latitude, 90.0)?])
}

fn number(given: Given<'_>, name: &str) -> Result<f64, SourceError> {
    let value = member(given, name)?.plain()?;
    let number = value.text().and_then(|text| text.parse::<f64>().ok());
    number.filter(|number| number.is_finite()).ok_or_else(|| must_be(name, "a number"))
}

/// The elements of a list of a member, which has one at least.
fn elements<'v>(given: Given<'v>, name: &str) -> Result<Vec<Given<'v>>, SourceError> {
    let list = member(given, name)?;
    // A single value is coerced to a list of one.
    let items = list.items().unwrap_or_else(|| vec![list]);
    match items.is_empty() || items.iter().any(|item| item.is_null()) {
        true => Err(must_be(name, "a list of one element or more")),
        false => Ok(items),
    }
}

fn member<'v>(given: Given<'v>, name: &str) -> Result<Given<'v>, SourceError> {
    let own = given.member(name).filter(|own| !own.is_null());
    own.ok_or_else(|| SourceError::input(format!("\"{name}\" must not be null")))
}

fn must_be(name: &str, what: &str) -> SourceError {
    SourceError::input(format!("\"{name}\" must be {what}"))
}
