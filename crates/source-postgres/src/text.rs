//! Values as the texts that PostgreSQL's types read.
//!
//! A part of a value stands within quotes, whatever it is, with a backslash before each quote and
//! backslash in it. Arrays, composite values, ranges and hstore all read that, at every depth:
//! nothing in a part can be taken for the end of it, for a null or for a bound that is not there.
//! <https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO>
//! <https://www.postgresql.org/docs/current/rowtypes.html#ROWTYPES-IO-SYNTAX>
//! <https://www.postgresql.org/docs/current/rangetypes.html#RANGETYPES-IO>

use std::borrow::Cow;

use ir::Unit;

use source::SourceError;
use source::operand::{Bound, Parts, Resolved};
use source::session::write_quoted;

use super::files;

/// The text of a value; `None` is null.
pub(super) fn text<'r>(value: &'r Resolved<'_>) -> Result<Option<Cow<'r, [u8]>>, SourceError> {
    let mut out = Vec::new();
    match value {
        Resolved::List(items) => write_list(items, &mut out)?,
        Resolved::Parts(parts) => write_parts(parts, &mut out)?,
        Resolved::File(file) => files::write_text(file, &mut out),
        Resolved::Null
        | Resolved::Boolean(_)
        | Resolved::Integer(_)
        | Resolved::Number(_)
        | Resolved::Text(_)
        | Resolved::Json(_) => {
            return Ok(value.text().map(bytes));
        }
    }
    Ok(Some(out.into()))
}

/// Appends an array's text, every element within quotes.
pub(super) fn write_list(items: &[Resolved<'_>], out: &mut Vec<u8>) -> Result<(), SourceError> {
    write_array(items, b',', out)
}

fn write_array(
    items: &[Resolved<'_>],
    separator: u8,
    out: &mut Vec<u8>,
) -> Result<(), SourceError> {
    out.push(b'{');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(separator);
        }
        match text(item)? {
            None => out.extend_from_slice(b"NULL"),
            Some(text) => write_quoted(&text, out),
        }
    }
    out.push(b'}');
    Ok(())
}

fn write_parts(parts: &Parts<'_>, out: &mut Vec<u8>) -> Result<(), SourceError> {
    match parts {
        Parts::Composite(attributes) => {
            out.push(b'(');
            for (index, attribute) in attributes.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                if let Some(text) = text(attribute)? {
                    write_quoted(&text, out);
                }
            }
            out.push(b')');
        }
        Parts::Range { start, end } => {
            out.push(if is_inclusive(start.as_ref()) { b'[' } else { b'(' });
            write_bound(start.as_ref(), out)?;
            out.push(b',');
            write_bound(end.as_ref(), out)?;
            out.push(if is_inclusive(end.as_ref()) { b']' } else { b')' });
        }
        Parts::Interval(quantities) => {
            for (unit, quantity) in quantities {
                write_quantity(*unit, quantity, out)?;
            }
            if out.is_empty() {
                out.extend_from_slice(b"0 seconds");
            }
        }
        Parts::Point { x, y } => {
            out.push(b'(');
            out.extend_from_slice(&text(x)?.unwrap_or_default());
            out.push(b',');
            out.extend_from_slice(&text(y)?.unwrap_or_default());
            out.push(b')');
        }
        // All figures that points make are read in this form.
        Parts::Points { points, is_open } => {
            out.push(if *is_open { b'[' } else { b'(' });
            for (index, point) in points.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                out.extend_from_slice(&text(point)?.unwrap_or_default());
            }
            out.push(if *is_open { b']' } else { b')' });
        }
        Parts::Circle { center, radius } => {
            out.push(b'<');
            out.extend_from_slice(&text(center)?.unwrap_or_default());
            out.push(b',');
            out.extend_from_slice(&text(radius)?.unwrap_or_default());
            out.push(b'>');
        }
        Parts::Boxes(boxes) => write_array(boxes, b';', out)?,
        Parts::KeyValue(pairs) => {
            for (index, (key, value)) in pairs.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_quoted(key.as_bytes(), out);
                out.extend_from_slice(b"=>");
                match value {
                    None => out.extend_from_slice(b"NULL"),
                    Some(text) => write_quoted(text.as_bytes(), out),
                }
            }
        }
    }
    Ok(())
}

fn is_inclusive(bound: Option<&Bound<'_>>) -> bool {
    bound.is_some_and(|bound| bound.inclusive)
}

fn write_bound(bound: Option<&Bound<'_>>, out: &mut Vec<u8>) -> Result<(), SourceError> {
    if let Some(bound) = bound
        && let Some(text) = text(&bound.value)?
    {
        write_quoted(&text, out);
    }
    Ok(())
}

/// Appends ` 1.5 seconds`. Only seconds have a fraction, which PostgreSQL reads without exponent.
fn write_quantity(
    unit: Unit,
    quantity: &Resolved<'_>,
    out: &mut Vec<u8>,
) -> Result<(), SourceError> {
    let text = quantity.text().unwrap_or_default();
    let number: f64 = text.parse().map_err(|_| SourceError::invalid("interval", &text))?;
    if number == 0.0 {
        return Ok(());
    }
    if !number.is_finite() {
        return Err(SourceError::input("interval out of range"));
    }
    if !out.is_empty() {
        out.push(b' ');
    }
    out.extend_from_slice(number.to_string().as_bytes());
    out.push(b' ');
    out.extend_from_slice(unit.name().as_bytes());
    Ok(())
}

fn bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &Resolved<'_>, expected: &str) {
        assert_eq!(text(value).unwrap().as_deref(), Some(expected.as_bytes()));
    }

    fn word(text: &str) -> Resolved<'_> {
        Resolved::Text(text.into())
    }

    fn bound(value: Resolved<'_>, inclusive: bool) -> Option<Bound<'_>> {
        Some(Bound { value: Box::new(value), inclusive })
    }

    #[test]
    fn elements_are_quoted_and_nulls_are_not() {
        let words = ["a", "", "x\"y\\z,{}", "NULL", " b "].map(word);
        let mut items = words.to_vec();
        items.insert(1, Resolved::Null);
        check(&Resolved::List(items), r#"{"a",NULL,"","x\"y\\z,{}","NULL"," b "}"#);
        check(&Resolved::List(Vec::new()), "{}");
    }

    #[test]
    fn parts_within_parts_are_quoted_once_more() {
        let row = |parts: Vec<Resolved<'static>>| Resolved::Parts(Parts::Composite(parts));
        check(&row(vec![word("a,\"b\\"), Resolved::Null, word("")]), r#"("a,\"b\\",,"")"#);
        check(&row(vec![Resolved::Null]), "()");
        let inner = row(vec![word("\""), Resolved::Integer(-1)]);
        check(
            &Resolved::List(vec![inner.clone(), Resolved::Null]),
            r#"{"(\"\\\"\",\"-1\")",NULL}"#,
        );
        check(
            &row(vec![Resolved::List(vec![inner])]),
            r#"("{\"(\\\"\\\\\\\"\\\",\\\"-1\\\")\"}")"#,
        );
    }

    #[test]
    fn bounds_of_ranges() {
        let range = |start, end| Resolved::Parts(Parts::Range { start, end });
        check(&range(bound(word("a]"), true), bound(word(""), false)), r#"["a]","")"#);
        check(&range(None, bound(Resolved::Integer(5), true)), r#"(,"5"]"#);
        check(&range(None, None), "(,)");
    }

    #[test]
    fn quantities_of_time() {
        let interval = |quantities: &[(Unit, Resolved<'static>)]| {
            Resolved::Parts(Parts::Interval(quantities.to_vec()))
        };
        let number = |text: &'static str| Resolved::Number(text.into());
        check(&interval(&[]), "0 seconds");
        check(
            &interval(&[
                (Unit::Seconds, number("1e-6")),
                (Unit::Minutes, Resolved::Integer(0)),
                (Unit::Years, Resolved::Integer(-3)),
            ]),
            "0.000001 seconds -3 years",
        );
        assert!(text(&interval(&[(Unit::Seconds, number("1e999"))])).is_err());
    }

    #[test]
    fn points_and_figures_and_keys_with_values() {
        let (x, y) = (Box::new(Resolved::Number("1.5e3".into())), Box::new(Resolved::Integer(-2)));
        check(&Resolved::Parts(Parts::Point { x, y }), "(1.5e3,-2)");
        let point = |x, y| {
            let (x, y) = (Box::new(Resolved::Integer(x)), Box::new(Resolved::Integer(y)));
            Resolved::Parts(Parts::Point { x, y })
        };
        let way = |is_open| {
            Resolved::Parts(Parts::Points { points: vec![point(1, 2), point(3, 4)], is_open })
        };
        check(&way(true), "[(1,2),(3,4)]");
        check(&way(false), "((1,2),(3,4))");
        let boxes = vec![way(false), Resolved::Null];
        check(&Resolved::Parts(Parts::Boxes(boxes)), r#"{"((1,2),(3,4))";NULL}"#);
        let (center, radius) = (Box::new(point(1, 2)), Box::new(Resolved::Integer(3)));
        check(&Resolved::Parts(Parts::Circle { center, radius }), "<(1,2),3>");
        let pairs = vec![("a\"".into(), Some("NULL".into())), ("".into(), None)];
        check(&Resolved::Parts(Parts::KeyValue(pairs)), r#""a\""=>"NULL",""=>NULL"#);
    }
}
