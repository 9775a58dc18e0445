//! Equality of default values after coercion: `1` and `[1]` are the same list, and `1` and `1.0` the
//! same `Float`.
//! <https://spec.graphql.org/draft/#sec-Input-Coercion>

use graphql::definitions::{InputDefinition, Literal, TypeBody, TypeExpression};
use graphql::value::Const;

use super::schema::WrittenSchema;

/// Limit of values in a default with the defaults of its input fields: they may contain themselves.
const MAX_VALUES: usize = 10_000;

/// Returns the default value of an argument or input field as a resolver receives it.
pub(super) fn effective(schema: &WrittenSchema, input: &InputDefinition) -> Option<Const> {
    let default = input.default.as_ref()?;
    let mut coercion = Coercion { schema, values: 0 };
    Some(coercion.value(&input.r#type, default))
}

struct Coercion<'s> {
    schema: &'s WrittenSchema,
    /// Number of input objects so far.
    values: usize,
}

impl Coercion<'_> {
    /// Recursion is bounded by [`MAX_VALUES`] and the parser's limit.
    fn value(&mut self, r#type: &TypeExpression, literal: &Literal) -> Const {
        match (r#type, literal) {
            (_, Literal::Null) => Const::Null,
            (TypeExpression::List { of, .. }, Literal::List(items)) => {
                Const::List(items.iter().map(|item| self.value(of, item)).collect())
            }
            (TypeExpression::List { of, .. }, single) => Const::List(vec![self.value(of, single)]),
            (TypeExpression::Named { name, .. }, literal) => self.named(name, literal),
        }
    }

    fn named(&mut self, name: &str, literal: &Literal) -> Const {
        let body = self.schema.find_type(name).map(|found| &found.body);
        match (name, literal, body) {
            ("ID", Literal::Int(digits), _) => Const::String((&**digits).into()),
            ("Int" | "String" | "Boolean" | "ID", literal, _) => literal.constant(),
            (_, Literal::Object(members), Some(TypeBody::InputObject(inputs)))
                if self.values < MAX_VALUES =>
            {
                self.values += 1;
                let mut values = Vec::new();
                for input in inputs {
                    let given = members.iter().find(|(name, _)| *name == input.name);
                    let value = given.map(|(_, value)| value).or(input.default.as_ref());
                    if let Some(value) = value {
                        values.push(((&*input.name).into(), self.value(&input.r#type, value)));
                    }
                }
                values.sort_by(|(one, _): &(Box<str>, Const), (other, _)| one.cmp(other));
                Const::Object(values)
            }
            (_, literal, _) => untyped(literal),
        }
    }
}

/// Returns a value of a custom scalar: numbers are compared by value, and objects without order.
fn untyped(literal: &Literal) -> Const {
    match literal {
        Literal::Int(digits) | Literal::Float(digits) => match digits.parse() {
            Ok(number) => Const::Float(number),
            Err(_) => Const::String((&**digits).into()),
        },
        Literal::List(items) => Const::List(items.iter().map(untyped).collect()),
        Literal::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            let members = members.into_iter();
            let members = members.map(|(name, value)| ((&**name).into(), untyped(value)));
            Const::Object(members.collect())
        }
        Literal::Null | Literal::Boolean(_) | Literal::String(_) | Literal::Enum(_) => {
            literal.constant()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_equal_after_coercion() {
        let inputs = "input I { a: Float = 1 b: [I] = [] c: ID } scalar S enum E { A }";
        for (r#type, one, other, is_equal) in [
            ("[Int]", "1", "[1]", true),
            ("Float", "1", "1.0", true),
            ("ID", "1", "\"1\"", true),
            ("String", "\"1\"", "\"2\"", false),
            ("I", "{a: 1}", "{b: []}", true),
            ("I", "{c: 2, a: 1.0}", "{a: 1, c: \"2\"}", true),
            ("I", "{a: 2}", "{}", false),
            ("S", "{a: 1, b: [2]}", "{b: [2.0], a: 1}", true),
            ("S", "[1]", "1", false),
            ("E", "A", "null", false),
        ] {
            let default = |value: &str| {
                let text = format!("{inputs} input J {{ a: {type} = {value} }}");
                let schema = WrittenSchema::read(&text).unwrap();
                let Some(TypeBody::InputObject(fields)) = schema.find_type("J").map(|j| &j.body)
                else {
                    panic!("{text}")
                };
                effective(&schema, &fields[0]).unwrap()
            };
            assert_eq!(default(one) == default(other), is_equal, "{type}: {one} {other}");
        }
    }
}
