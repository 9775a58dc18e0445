//! Points and loops on a sphere, by unit vectors. Edges are arcs of great circles.
//!
//! PostgreSQL's functions of `geo.sql` compute the same values in the same order.

use std::f64::consts::PI;

/// A point of the sphere.
pub type Vector = [f64; 3];

/// The largest deviation from a straight angle of a point on an edge, in radians.
const STRAIGHT: f64 = 1e-9;

/// A closed line around an area that is smaller than a hemisphere, counter-clockwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    pub vertices: Vec<Vector>,
}

/// The point with a longitude and a latitude in degrees.
#[must_use]
pub fn vector(longitude: f64, latitude: f64) -> Vector {
    let (longitude, latitude) = (longitude.to_radians(), latitude.to_radians());
    let around = latitude.cos();
    [around * longitude.cos(), around * longitude.sin(), latitude.sin()]
}

/// The angle between two points, in radians.
#[must_use]
pub fn angle(one: Vector, other: Vector) -> f64 {
    length(cross(one, other)).atan2(dot(one, other))
}

impl Loop {
    /// The loop through points, in any direction; `None` if they are not within a hemisphere.
    #[must_use]
    pub fn new(mut vertices: Vec<Vector>) -> Option<Self> {
        let (mut middle, mut area) = ([0.0; 3], [0.0; 3]);
        for (a, b) in edges(&vertices) {
            middle = add(middle, a);
            area = add(area, cross(a, b));
        }
        if !vertices.iter().all(|vertex| dot(*vertex, middle) > 0.0) {
            return None;
        }
        if dot(area, middle) < 0.0 {
            vertices.reverse();
        }
        Some(Self { vertices })
    }

    /// Returns true if a point is within the loop, or on it.
    #[must_use]
    pub fn has(&self, point: Vector) -> bool {
        let mut turn = 0.0;
        for (a, b) in edges(&self.vertices) {
            if a == point {
                return true;
            }
            let (to_a, to_b) = (dot(a, point), dot(b, point));
            let (from_a, from_b) = (away(a, point, to_a), away(b, point, to_b));
            let (sine, cosine) = (dot(point, cross(from_a, from_b)), dot(from_a, from_b));
            let is_straight = cosine < 0.0 && sine.abs() <= STRAIGHT * -cosine;
            if is_straight && (to_a > 0.0 || to_b > 0.0) {
                return true;
            }
            turn += sine.atan2(cosine);
        }
        turn > PI
    }

    /// Returns true if all of another loop is within this one.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        edges(&other.vertices).all(|(a, b)| self.has(a) && self.has(unit(add(a, b))))
            && !self.crosses(other)
    }

    /// Returns true if both have a point in common.
    #[must_use]
    pub fn intersects(&self, other: &Self) -> bool {
        self.vertices.iter().any(|vertex| other.has(*vertex))
            || other.vertices.iter().any(|vertex| self.has(*vertex))
            || self.crosses(other)
    }

    /// Returns true if a part of it is within an angle of a point.
    #[must_use]
    pub fn is_near(&self, point: Vector, most: f64) -> bool {
        self.has(point) || edges(&self.vertices).any(|(a, b)| distance(point, a, b) <= most)
    }

    fn crosses(&self, other: &Self) -> bool {
        edges(&self.vertices)
            .any(|(a, b)| edges(&other.vertices).any(|(c, d)| is_crossing(a, b, c, d)))
    }
}

fn edges(vertices: &[Vector]) -> impl Iterator<Item = (Vector, Vector)> {
    let next = vertices.iter().cycle().skip(1);
    vertices.iter().zip(next).map(|(a, b)| (*a, *b))
}

/// Returns true if two arcs cross in a point that is no end of either.
fn is_crossing(a: Vector, b: Vector, c: Vector, d: Vector) -> bool {
    let (ab, cd) = (cross(a, b), cross(c, d));
    let (side_c, side_d) = (-dot(ab, c), dot(ab, d));
    let (side_b, side_a) = (-dot(cd, b), dot(cd, a));
    side_c * side_d > 0.0 && side_c * side_b > 0.0 && side_c * side_a > 0.0
}

/// The angle from a point to an arc.
fn distance(point: Vector, a: Vector, b: Vector) -> f64 {
    let normal = cross(a, b);
    let is_beside = dot(cross(normal, a), point) > 0.0 && dot(cross(b, normal), point) > 0.0;
    match is_beside {
        true => (dot(normal, point).abs() / length(normal)).min(1.0).asin(),
        false => angle(point, a).min(angle(point, b)),
    }
}

/// The direction from a point to another, whose cosine is given.
fn away(to: Vector, from: Vector, cosine: f64) -> Vector {
    [to[0] - from[0] * cosine, to[1] - from[1] * cosine, to[2] - from[2] * cosine]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

fn unit(a: Vector) -> Vector {
    let length = length(a);
    [a[0] / length, a[1] / length, a[2] / length]
}

#[cfg(test)]
mod tests {
    use super::{Loop, angle, vector};

    fn area(points: &[(f64, f64)]) -> Loop {
        Loop::new(points.iter().map(|(x, y)| vector(*x, *y)).collect()).unwrap()
    }

    fn has(area: &Loop, (longitude, latitude): (f64, f64), expect: bool) {
        let found = area.has(vector(longitude, latitude));
        assert_eq!(found, expect, "{longitude} {latitude}");
    }

    #[test]
    fn a_square_has_points_in_either_direction() {
        let mut points = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)];
        for _ in 0..2 {
            let square = area(&points);
            has(&square, (5.0, 5.0), true);
            has(&square, (0.0, 0.0), true);
            has(&square, (0.0, 5.0), true);
            has(&square, (5.0, 0.0), true);
            has(&square, (-0.001, 5.0), false);
            has(&square, (5.0, -0.001), false);
            has(&square, (185.0, -5.0), false);
            has(&square, (180.0, -5.0), false);
            // An edge is an arc, which lies north of the parallel.
            has(&square, (5.0, 10.03), true);
            has(&square, (5.0, 10.04), false);
            points.reverse();
        }
    }

    #[test]
    fn an_area_lies_around_a_pole_or_over_the_antimeridian() {
        let cap = area(&[(0.0, 80.0), (90.0, 80.0), (180.0, 80.0), (-90.0, 80.0)]);
        has(&cap, (12.0, 90.0), true);
        has(&cap, (45.0, 85.0), true);
        has(&cap, (45.0, 81.0), false);
        has(&cap, (0.0, -90.0), false);
        let strip = area(&[(170.0, -5.0), (-170.0, -5.0), (-170.0, 5.0), (170.0, 5.0)]);
        has(&strip, (180.0, 0.0), true);
        has(&strip, (-175.0, 1.0), true);
        has(&strip, (0.0, 0.0), false);
        has(&strip, (165.0, 0.0), false);
    }

    #[test]
    fn a_notch_is_outside() {
        let notched = area(&[(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (5.0, 2.0), (0.0, 10.0)]);
        has(&notched, (5.0, 1.0), true);
        has(&notched, (5.0, 6.0), false);
        let over = area(&[(1.0, 5.0), (9.0, 5.0), (9.0, 6.0), (1.0, 6.0)]);
        assert!(!notched.contains(&over));
        assert!(notched.intersects(&over));
        let small = area(&[(1.0, 1.0), (2.0, 1.0), (2.0, 2.0)]);
        assert!(notched.contains(&small) && !small.contains(&notched));
        assert!(notched.contains(&notched));
        let within = area(&[(4.9, 8.0), (5.1, 8.0), (5.0, 7.5)]);
        assert!(!notched.intersects(&within) && !within.intersects(&notched));
    }

    #[test]
    fn a_cross_has_no_vertex_of_the_other_within() {
        let wide = area(&[(-5.0, -1.0), (5.0, -1.0), (5.0, 1.0), (-5.0, 1.0)]);
        let high = area(&[(-1.0, -5.0), (1.0, -5.0), (1.0, 5.0), (-1.0, 5.0)]);
        assert!(wide.intersects(&high) && !wide.contains(&high));
        let away = area(&[(175.0, -5.0), (177.0, -5.0), (177.0, 5.0), (175.0, 5.0)]);
        assert!(!wide.intersects(&away));
    }

    #[test]
    fn distances_are_angles_to_the_nearest_point() {
        let quarter = angle(vector(0.0, 0.0), vector(0.0, 90.0));
        assert!((quarter - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
        let square = area(&[(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)]);
        let degree = 1.0_f64.to_radians();
        assert!(square.is_near(vector(-1.0, 5.0), 1.01 * degree));
        assert!(!square.is_near(vector(-1.0, 5.0), 0.99 * degree));
        assert!(square.is_near(vector(5.0, 5.0), 0.0));
        assert!(square.is_near(vector(-3.0, -4.0), 5.0 * degree));
        assert!(!square.is_near(vector(-3.0, -4.0), 4.9 * degree));
    }

    #[test]
    fn an_area_is_smaller_than_a_hemisphere() {
        let points = [(0.0, 0.0), (120.0, 0.0), (-120.0, 0.0)];
        assert_eq!(Loop::new(points.iter().map(|(x, y)| vector(*x, *y)).collect()), None);
    }
}
