//! Figures in the plane as objects of their points.
//! <https://www.postgresql.org/docs/current/datatype-geometric.html>

use super::member::{no_such_part, write_members};
use super::number::{write_float, write_real};
use super::{Figure, Leaf, LeafError, Member, Part};
use crate::cursor::Value;

/// The parsed text of a figure.
enum Content<'a> {
    /// The coefficients of `ax + by + c = 0`.
    Equation([f64; 3]),
    /// Texts like `(1,2)`.
    Two(&'a [u8], &'a [u8]),
    /// The texts of points, separated by commas.
    Points { points: &'a [u8], is_open: bool },
    /// The texts of a point and of a number.
    Circle(&'a [u8], &'a [u8]),
}

/// Appends an object of the selected parts.
pub(super) fn write_figure(
    figure: Figure,
    members: &[Member],
    value: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    let expected = name(figure);
    let malformed = || LeafError::new(expected, "a value of another form", value);
    let Value::Text(text) = value else { return Err(malformed()) };
    let content = read(figure, text).ok_or_else(malformed)?;
    let mut scratch = Vec::new();
    write_members(members, out, |member, out| match (&content, member.part) {
        // The intersection of the line with the axes. A line that meets an axis nowhere or
        // everywhere has no such point, and its coordinate is not a number.
        (Content::Equation([a, _, c]), Part::A) => {
            write_computed(member, (-c / a, 0.0), &mut scratch, out)
        }
        (Content::Equation([_, b, c]), Part::B) => {
            write_computed(member, (0.0, -c / b), &mut scratch, out)
        }
        (Content::Two(point, _), Part::A)
        | (Content::Two(_, point), Part::B)
        | (Content::Circle(point, _), Part::Center) => member.leaf.write(Value::Text(point), out),
        (Content::Points { points, .. }, Part::Points) => {
            let Leaf::List(point) = &member.leaf else { return Err(no_such_part(expected, value)) };
            write_points(point, points, out).ok_or_else(malformed)?
        }
        (Content::Points { is_open, .. }, Part::IsOpen) => {
            out.extend_from_slice(if *is_open { b"true" } else { b"false" });
            Ok(())
        }
        (Content::Circle(_, radius), Part::Radius) => write_float(Value::Text(radius), out),
        _ => Err(no_such_part(expected, value)),
    })
}

/// The figure's name in the API.
fn name(figure: Figure) -> &'static str {
    match figure {
        Figure::Line => "Line",
        Figure::Segment => "LineSegment",
        Figure::Box => "Box",
        Figure::Path => "Path",
        Figure::Polygon => "Polygon",
        Figure::Circle => "Circle",
    }
}

fn read(figure: Figure, text: &[u8]) -> Option<Content<'_>> {
    match figure {
        Figure::Line => read_equation(inside(text, b"{", b"}")?),
        Figure::Segment => read_two(inside(text, b"[", b"]")?),
        Figure::Box => read_two(text),
        Figure::Path => match inside(text, b"[", b"]") {
            Some(points) => Some(Content::Points { points, is_open: true }),
            None => read_closed(text),
        },
        Figure::Polygon => read_closed(text),
        Figure::Circle => {
            let (center, radius) = take_point(inside(text, b"<", b">")?)?;
            Some(Content::Circle(center, radius))
        }
    }
}

fn inside<'a>(text: &'a [u8], open: &[u8], close: &[u8]) -> Option<&'a [u8]> {
    text.strip_prefix(open)?.strip_suffix(close)
}

fn read_closed(text: &[u8]) -> Option<Content<'_>> {
    Some(Content::Points { points: inside(text, b"(", b")")?, is_open: false })
}

fn read_equation<'a>(text: &[u8]) -> Option<Content<'a>> {
    let mut coefficients = str::from_utf8(text).ok()?.split(',').map(|text| text.parse().ok());
    let equation = [coefficients.next()??, coefficients.next()??, coefficients.next()??];
    coefficients.next().is_none().then_some(Content::Equation(equation))
}

fn read_two(text: &[u8]) -> Option<Content<'_>> {
    let (first, rest) = take_point(text)?;
    let (second, rest) = take_point(rest)?;
    rest.is_empty().then_some(Content::Two(first, second))
}

/// Takes `(1,2)`, and returns the text after it and a comma.
fn take_point(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|byte| *byte == b')')?;
    let (point, rest) = text.split_at_checked(end + 1)?;
    match rest {
        [] => Some((point, rest)),
        [b',', rest @ ..] if !rest.is_empty() => Some((point, rest)),
        _ => None,
    }
}

fn write_computed(
    member: &Member,
    (x, y): (f64, f64),
    scratch: &mut Vec<u8>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    scratch.clear();
    scratch.push(b'(');
    write_real(x, scratch);
    scratch.push(b',');
    write_real(y, scratch);
    scratch.push(b')');
    member.leaf.write(Value::Text(scratch), out)
}

/// Appends a list of points; `None` if a text is not one.
fn write_points(
    point: &Leaf,
    mut texts: &[u8],
    out: &mut Vec<u8>,
) -> Option<Result<(), LeafError>> {
    out.push(b'[');
    let mut is_first = true;
    while !texts.is_empty() {
        let (text, rest) = take_point(texts)?;
        texts = rest;
        if !is_first {
            out.push(b',');
        }
        is_first = false;
        if let Err(error) = point.write(Value::Text(text), out) {
            return Some(Err(error));
        }
    }
    out.push(b']');
    Some(Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaf::check::{check, check_text, member};

    fn point() -> Leaf {
        let members = [member("x", Part::X, Leaf::Float), member("y", Part::Y, Leaf::Float)];
        Leaf::Point(Box::new(members))
    }

    fn figure(figure: Figure) -> Leaf {
        let points = || Leaf::List(Box::new(point()));
        let members = match figure {
            Figure::Line | Figure::Segment | Figure::Box => {
                vec![member("a", Part::A, point()), member("b", Part::B, point())]
            }
            Figure::Path => vec![
                member("open", Part::IsOpen, Leaf::Boolean),
                member("points", Part::Points, points()),
            ],
            Figure::Polygon => vec![member("points", Part::Points, points())],
            Figure::Circle => vec![
                member("center", Part::Center, point()),
                member("radius", Part::Radius, Leaf::Float),
            ],
        };
        Leaf::Figure(figure, members.into())
    }

    #[test]
    fn a_line_is_where_it_meets_the_axes() {
        let line = figure(Figure::Line);
        check_text(&line, "{1,-1,4}", r#"{"a":{"x":-4,"y":0},"b":{"x":0,"y":4}}"#);
        check_text(
            &line,
            "{2,3,5}",
            r#"{"a":{"x":-2.5,"y":0},"b":{"x":0,"y":-1.6666666666666667}}"#,
        );
        check_text(&line, "{0.5,0.3,0}", r#"{"a":{"x":0,"y":0},"b":{"x":0,"y":0}}"#);
        let expect = "Float cannot represent non numeric value";
        check_text(&line, "{0,-1,4}", &format!("{expect}: \"-Infinity\""));
        check_text(&line, "{1,0,0}", &format!("{expect}: \"NaN\""));
    }

    #[test]
    fn a_line_without_a_crossing_has_what_is_asked_of_it_and_is_there() {
        let only_b = vec![member("b", Part::B, point())];
        let line = Leaf::Figure(Figure::Line, only_b.into());
        check_text(&line, "{0,-1,4}", r#"{"b":{"x":0,"y":4}}"#);
    }

    #[test]
    fn points_of_figures() {
        let two = r#"{"a":{"x":7,"y":1e+21},"b":{"x":-1.5,"y":1e-7}}"#;
        check_text(&figure(Figure::Segment), "[(7,1e+21),(-1.5,1e-07)]", two);
        check_text(&figure(Figure::Box), "(7,1e+21),(-1.5,1e-07)", two);
        check_text(
            &figure(Figure::Path),
            "[(1,3),(3,4)]",
            r#"{"open":true,"points":[{"x":1,"y":3},{"x":3,"y":4}]}"#,
        );
        let closed = r#"{"open":false,"points":[{"x":1,"y":3}]}"#;
        check_text(&figure(Figure::Path), "((1,3))", closed);
        check_text(
            &figure(Figure::Polygon),
            "((1,3),(3,4))",
            r#"{"points":[{"x":1,"y":3},{"x":3,"y":4}]}"#,
        );
        check_text(
            &figure(Figure::Circle),
            "<(10,0.5),7>",
            r#"{"center":{"x":10,"y":0.5},"radius":7}"#,
        );
    }

    #[test]
    fn lists_of_figures() {
        let list = Leaf::List(Box::new(figure(Figure::Polygon)));
        let expect = r#"[{"points":[{"x":1,"y":3}]},null]"#;
        check_text(&list, r#"{"((1,3))",NULL}"#, expect);
    }

    #[test]
    fn other_values_are_errors() {
        let texts = [
            (Figure::Line, "{1,2}"),
            (Figure::Line, "{1,2,3,4}"),
            (Figure::Line, "1,2,3"),
            (Figure::Segment, "(1,2),(3,4)"),
            (Figure::Segment, "[(1,2)]"),
            (Figure::Box, "(1,2),(3,4),(5,6)"),
            (Figure::Box, "(1,2),"),
            (Figure::Path, "(1,3"),
            (Figure::Path, "(1,3)"),
            (Figure::Polygon, "[(1,3)]"),
            (Figure::Polygon, "((1,3);(1,4))"),
            (Figure::Circle, "<(1,2)>x"),
        ];
        for (kind, text) in texts {
            let name = name(kind);
            let expect = format!("{name} cannot represent a value of another form: \"{text}\"");
            check_text(&figure(kind), text, &expect);
        }
        let expect = "Circle cannot represent a value of another form: 1";
        check(&figure(Figure::Circle), Value::Integer(1), expect);
    }
}
