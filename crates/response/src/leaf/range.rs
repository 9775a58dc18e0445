//! Ranges as objects of their bounds.

use super::member::{no_such_part, write_members};
use super::quoted::Field;
use super::{Leaf, LeafError, Member, Part};
use crate::cursor::Value;

const EXPECTED: &str = "Range";

/// An optional bound.
struct Bound<'a> {
    field: Field<'a>,
    inclusive: bool,
}

/// Appends an object of the selected bounds.
pub(super) fn write_range(
    members: &[Member],
    value: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    let malformed = || LeafError::new(EXPECTED, "a value that is not a range", value);
    let Value::Text(text) = value else { return Err(malformed()) };
    let (start, end) = read_bounds(text).ok_or_else(malformed)?;
    let mut scratch = Vec::new();
    write_members(members, out, |member, out| {
        let bound = match member.part {
            Part::Start => &start,
            Part::End => &end,
            _ => return Err(no_such_part(EXPECTED, value)),
        };
        let Leaf::Bound(members) = &member.leaf else { return Err(no_such_part(EXPECTED, value)) };
        match bound.field.text(&mut scratch) {
            Some(text) => write_bound(members, Value::Text(text), bound.inclusive, out),
            None => {
                out.extend_from_slice(b"null");
                Ok(())
            }
        }
    })
}

fn write_bound(
    members: &[Member],
    value: Value<'_>,
    inclusive: bool,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    write_members(members, out, |member, out| match member.part {
        Part::Value => member.leaf.write(value, out).map_err(LeafError::whole),
        Part::Inclusive => {
            out.extend_from_slice(if inclusive { b"true" } else { b"false" });
            Ok(())
        }
        _ => Err(no_such_part(EXPECTED, value)),
    })
}

/// Reads `[1,5)`; `empty` has no bounds.
fn read_bounds(text: &[u8]) -> Option<(Bound<'_>, Bound<'_>)> {
    if text == b"empty" {
        let none = || Bound { field: Field::Empty, inclusive: false };
        return Some((none(), none()));
    }
    let (start_inclusive, rest) = match text {
        [b'[', rest @ ..] => (true, rest),
        [b'(', rest @ ..] => (false, rest),
        _ => return None,
    };
    let (start, rest) = Field::take(rest, b",")?;
    let (end, rest) = Field::take(rest.strip_prefix(b",")?, b")]")?;
    let end_inclusive = match rest {
        b"]" => true,
        b")" => false,
        _ => return None,
    };
    let start = Bound { field: start, inclusive: start_inclusive };
    Some((start, Bound { field: end, inclusive: end_inclusive }))
}

#[cfg(test)]
mod tests {
    use crate::cursor::Value;
    use crate::leaf::check::{check, check_text, member};
    use crate::leaf::{Leaf, Part};

    fn range(element: Leaf) -> Leaf {
        let bound = Leaf::Bound(Box::new([
            member("value", Part::Value, element),
            member("inclusive", Part::Inclusive, Leaf::Boolean),
        ]));
        Leaf::Range(Box::new([
            member("start", Part::Start, bound.clone()),
            member("end", Part::End, bound),
        ]))
    }

    /// The value and whether it is inclusive; `None` for no bound.
    type Expected = Option<(&'static str, bool)>;

    fn table(element: &Leaf, rows: &[(&str, Expected, Expected)]) {
        for (text, start, end) in rows {
            let bound = |bound: &Expected| match bound {
                Some((value, inclusive)) => {
                    format!(r#"{{"value":{value},"inclusive":{inclusive}}}"#)
                }
                None => "null".to_owned(),
            };
            let expect = format!(r#"{{"start":{},"end":{}}}"#, bound(start), bound(end));
            check_text(&range(element.clone()), text, &expect);
        }
    }

    #[test]
    fn bounds_are_written_by_the_leaf_of_the_element_type() {
        table(
            &Leaf::Int,
            &[
                ("[1,5)", Some(("1", true)), Some(("5", false))),
                ("[3,)", Some(("3", true)), None),
                ("[-3,-1]", Some(("-3", true)), Some(("-1", true))),
            ],
        );
        table(&Leaf::BigInt, &[("[1,6)", Some(("\"1\"", true)), Some(("\"6\"", false)))]);
        table(
            &Leaf::Decimal { scale: None },
            &[
                ("[1.50,2.50]", Some(("\"1.50\"", true)), Some(("\"2.50\"", true))),
                ("(1,)", Some(("\"1\"", false)), None),
            ],
        );
        table(
            &Leaf::Float,
            &[
                ("[0.1,1e+21]", Some(("0.1", true)), Some(("1e+21", true))),
                ("(,1.5)", None, Some(("1.5", false))),
            ],
        );
        table(
            &Leaf::Date,
            &[(
                "[2020-01-01,2020-02-02)",
                Some(("\"2020-01-01\"", true)),
                Some(("\"2020-02-02\"", false)),
            )],
        );
    }

    #[test]
    fn a_missing_bound_is_null() {
        table(
            &Leaf::Int,
            &[("empty", None, None), ("(,)", None, None), ("(,3)", None, Some(("3", false)))],
        );
    }

    #[test]
    fn quoted_bounds_are_unescaped() {
        table(
            &Leaf::Timestamp,
            &[
                (
                    "[\"2020-01-01 01:02:03.456789\",\"2020-02-01 00:00:00\")",
                    Some(("\"2020-01-01T01:02:03.456789\"", true)),
                    Some(("\"2020-02-01T00:00:00\"", false)),
                ),
                ("(,\"2020-01-01 00:00:00\"]", None, Some(("\"2020-01-01T00:00:00\"", true))),
            ],
        );
        table(
            &Leaf::TimestampWithZone,
            &[(
                "[\"2019-12-31 22:00:00+00\",infinity)",
                Some(("\"2019-12-31T22:00:00+00:00\"", true)),
                Some(("\"infinity\"", false)),
            )],
        );
        table(
            &Leaf::Text,
            &[(r#"["a ""b""","(\\)"]"#, Some((r#""a \"b\"""#, true)), Some((r#""(\\)""#, true)))],
        );
        table(&Leaf::Text, &[(r#"["",b]"#, Some(("\"\"", true)), Some(("\"b\"", true)))]);
    }

    #[test]
    fn members_may_be_any_of_them() {
        let name = |name: &str| Leaf::Literal(format!("\"{name}\"").into_bytes().into());
        let bound = Leaf::Bound(Box::new([
            member("t", Part::Typename, name("IntRangeBound")),
            member("i", Part::Inclusive, Leaf::Boolean),
        ]));
        let leaf = Leaf::Range(Box::new([
            member("end", Part::End, bound),
            member("t", Part::Typename, name("IntRange")),
        ]));
        check_text(&leaf, "[1,5)", r#"{"end":{"t":"IntRangeBound","i":false},"t":"IntRange"}"#);
    }

    #[test]
    fn other_values_are_errors() {
        let expect = "Range cannot represent a value that is not a range";
        for text in ["", "[", "[1", "[1,2", "[1,2)x", "1,2", "[1)", "Empty"] {
            check_text(&range(Leaf::Int), text, &format!("{expect}: \"{text}\""));
        }
        check(&range(Leaf::Int), Value::Integer(1), &format!("{expect}: 1"));
        check_text(&range(Leaf::Int), "[x,)", "Int cannot represent a non-integer value: \"x\"");
        check_text(
            &Leaf::Bound(Box::new([])),
            "1",
            "Range cannot represent a bound without its range: \"1\"",
        );
    }
}
