//! Values of composite types as objects.

use super::member::{no_such_part, write_members};
use super::quoted::Field;
use super::{LeafError, Member, Part};
use crate::cursor::Value;

const EXPECTED: &str = "Object";

/// Appends an object of the selected attributes.
pub(super) fn write_composite(
    members: &[Member],
    value: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    let malformed = || LeafError::new(EXPECTED, "a value that is not of a composite type", value);
    let Value::Text(text) = value else { return Err(malformed()) };
    let fields = read_fields(text).ok_or_else(malformed)?;
    let mut scratch = Vec::new();
    write_members(members, out, |member, out| {
        let Part::Attribute(place) = member.part else { return Err(no_such_part(EXPECTED, value)) };
        let field = fields.get(usize::from(place)).ok_or_else(|| no_such_part(EXPECTED, value))?;
        let attribute = field.text(&mut scratch).map_or(Value::Null, Value::Text);
        if attribute == Value::Null && !member.nullable {
            return Err(LeafError::new(EXPECTED, "null in an attribute that has no nulls", value));
        }
        member.leaf.write(attribute, out).map_err(LeafError::whole)
    })
}

/// Appends an object whose attributes are null; null, where one of them must not be.
pub(super) fn write_absent(members: &[Member], out: &mut Vec<u8>) -> Result<(), LeafError> {
    if members.iter().any(|member| !member.nullable && member.part != Part::Typename) {
        out.extend_from_slice(b"null");
        return Ok(());
    }
    write_members(members, out, |member, out| member.leaf.write(Value::Null, out))
}

/// True if an attribute is not null, or if the value is not a composite.
pub(super) fn has_value(value: Value<'_>) -> bool {
    let Value::Text(text) = value else { return true };
    let fields = read_fields(text);
    fields.is_none_or(|fields| fields.iter().any(|field| !matches!(field, Field::Empty)))
}

fn read_fields(text: &[u8]) -> Option<Vec<Field<'_>>> {
    let mut rest = text.strip_prefix(b"(")?;
    let mut fields = Vec::new();
    loop {
        let (field, after) = Field::take(rest, b",)")?;
        fields.push(field);
        match after {
            [b',', after @ ..] => rest = after,
            [b')'] => return Some(fields),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cursor::Value;
    use crate::leaf::check::{check, check_text, member};
    use crate::leaf::{Leaf, Member, Part};

    fn address() -> Leaf {
        Leaf::Composite(Box::new([
            member("street", Part::Attribute(0), Leaf::Text),
            member("zip", Part::Attribute(1), Leaf::Int),
        ]))
    }

    #[test]
    fn attributes_are_read_by_their_place() {
        check_text(
            &address(),
            r#"("Main ""St"", x",123)"#,
            r#"{"street":"Main \"St\", x","zip":123}"#,
        );
        check_text(&address(), "(,)", r#"{"street":null,"zip":null}"#);
        check_text(&address(), "(,5)", r#"{"street":null,"zip":5}"#);
        check_text(&address(), r#"("",5)"#, r#"{"street":"","zip":5}"#);
        check_text(&address(), r#"("a\\b",5)"#, r#"{"street":"a\\b","zip":5}"#);
        check_text(&address(), "(a]b[,5)", r#"{"street":"a]b[","zip":5}"#);
    }

    #[test]
    fn an_attribute_without_nulls_is_never_null() {
        let name = member("name", Part::Attribute(0), Leaf::Text);
        let leaf = Leaf::Composite(Box::new([Member { nullable: false, ..name }]));
        check_text(&leaf, "(a,1)", r#"{"name":"a"}"#);
        let expect = "Object cannot represent null in an attribute that has no nulls: \"(,1)\"";
        check_text(&leaf, "(,1)", expect);
        check_text(&Leaf::List(Box::new(leaf)), r#"{"(a,)",NULL}"#, r#"[{"name":"a"},null]"#);
    }

    #[test]
    fn a_row_of_nulls_is_null() {
        let Leaf::Composite(members) = address() else { return };
        let row = Leaf::Row(members);
        check_text(&row, "(,)", "null");
        check_text(&row, "(,5)", r#"{"street":null,"zip":5}"#);
        check_text(&row, r#"("",)"#, r#"{"street":"","zip":null}"#);
        let rows = Leaf::List(Box::new(row));
        check_text(&rows, r#"{"(a,1)",NULL,"(,)"}"#, r#"[{"street":"a","zip":1},null,null]"#);
    }

    #[test]
    fn members_keep_the_order_of_their_selection() {
        let leaf = Leaf::Composite(Box::new([
            member("c", Part::Attribute(2), Leaf::Boolean),
            member("type", Part::Typename, Leaf::Literal(b"\"T\"".as_slice().into())),
            member("a", Part::Attribute(0), Leaf::Int),
        ]));
        check_text(&leaf, "(1,x,t)", r#"{"c":true,"type":"T","a":1}"#);
    }

    #[test]
    fn values_within_values_are_unescaped_level_by_level() {
        let leaf = Leaf::Composite(Box::new([
            member("inner", Part::Attribute(0), address()),
            member("list", Part::Attribute(1), Leaf::List(Box::new(Leaf::Text))),
        ]));
        check_text(
            &leaf,
            r#"("(""a """"b"""""",1)","{x,""y z""}")"#,
            r#"{"inner":{"street":"a \"b\"","zip":1},"list":["x","y z"]}"#,
        );
        check_text(&leaf, "(,)", r#"{"inner":null,"list":null}"#);
    }

    #[test]
    fn other_values_are_errors() {
        let expect = "Object cannot represent a value that is not of a composite type";
        for text in ["", "(", "a,1", "(a,1", "(a,1)x"] {
            check_text(&address(), text, &format!("{expect}: \"{text}\""));
        }
        check_text(&address(), "(\"a,1)", &format!("{expect}: \"(\\\"a,1)\""));
        check(&address(), Value::Integer(1), &format!("{expect}: 1"));
        let expect = "Object cannot represent a part that it does not have: \"(a)\"";
        check_text(&address(), "(a)", expect);
    }
}
