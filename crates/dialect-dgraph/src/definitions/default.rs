//! `@default`: values of fields that a mutation omits.

use graphql::definitions::problem::{At, Problems};
use graphql::definitions::{Directive, EnumValueDefinition, Literal, TypeBody};

use super::directives::{Applied, Known, find_argument};
use super::types::Types;
use crate::model::{Base, Default, FieldType, Scalar};

/// The values on add and on update.
pub(super) fn read(
    types: &Types<'_>,
    at: At<'_>,
    r#type: FieldType,
    applied: &Applied<'_>,
    problems: &mut Problems,
) -> (Option<Default>, Option<Default>) {
    let Some(directive) = applied.find(Known::Default) else { return (None, None) };
    let at = at.directive(directive);
    let message = match r#type.base {
        Base::Type(_) | Base::Union(_) | Base::Input(_) => {
            Some("`@default` applies to scalars and enums: remove it")
        }
        Base::Scalar(Scalar::Id) => Some("`@default` does not apply to ID: remove it"),
        Base::Scalar(Scalar::Point | Scalar::Polygon | Scalar::MultiPolygon) => {
            Some("`@default` has no values of places: remove it")
        }
        Base::Scalar(_) | Base::Enum(_) => None,
    };
    let message = message.or_else(|| {
        if r#type.list.is_some() {
            Some("`@default` does not apply to lists: remove it")
        } else if applied.has(Known::Id) {
            Some(
                "`@default` does not apply with `@id`, whose values are unique: remove one of both",
            )
        } else if applied.has(Known::Custom) || applied.has(Known::Lambda) {
            Some("`@default` does not apply to fields of other servers: remove it")
        } else {
            None
        }
    });
    if let Some(message) = message {
        problems.refuse(at, message);
        return (None, None);
    }
    let mut value = |name: &str| value(types, at, r#type, directive, name, problems);
    (value("add"), value("update"))
}

fn value(
    types: &Types<'_>,
    at: At<'_>,
    r#type: FieldType,
    directive: &Directive,
    name: &str,
    problems: &mut Problems,
) -> Option<Default> {
    let argument = find_argument(directive, name)?;
    let at = at.argument(argument);
    let written = match &argument.value {
        Literal::Null => return None,
        Literal::Object(members) => members.iter().find(|(name, _)| &**name == "value"),
        _ => None,
    };
    let text = match written.map(|(_, value)| value) {
        Some(Literal::String(text) | Literal::Enum(text)) => text.clone(),
        Some(Literal::Int(digits) | Literal::Float(digits)) => digits.clone(),
        Some(Literal::Boolean(true)) => "true".into(),
        Some(Literal::Boolean(false)) => "false".into(),
        Some(Literal::Null | Literal::List(_) | Literal::Object(_)) | None => {
            problems.refuse(at, format!("`{name}` has no value: write `{name}: {{value: \"…\"}}`"));
            return None;
        }
    };
    let expected = match r#type.base {
        _ if &*text == "$now" => match r#type.base {
            Base::Scalar(Scalar::DateTime) => return Some(Default::Now),
            _ => "`$now` is for DateTime only: write a value of the field's type",
        },
        Base::Scalar(Scalar::Int) if text.parse::<i32>().is_err() => {
            "write a whole number of 32 bits"
        }
        Base::Scalar(Scalar::Int64) if text.parse::<i64>().is_err() => {
            "write a whole number of 64 bits"
        }
        Base::Scalar(Scalar::Float) if !text.parse::<f64>().is_ok_and(f64::is_finite) => {
            "write a number"
        }
        Base::Scalar(Scalar::Boolean) if !matches!(&*text, "true" | "false") => {
            "write true or false"
        }
        Base::Scalar(Scalar::DateTime) if !begins_with_year(&text) => {
            "write a time as in \"2006-01-02T15:04:05Z\", or \"$now\""
        }
        Base::Enum(index) if !values(types, index.0).iter().any(|value| value.name == text) => {
            "write a value of the enum"
        }
        _ => return Some(Default::Value((&*text).into())),
    };
    problems.refuse(at, format!("the default \"{text}\" is no value of the field: {expected}"));
    None
}

fn begins_with_year(text: &str) -> bool {
    text.len() >= 4 && text.bytes().take(4).all(|byte| byte.is_ascii_digit())
}

fn values<'d>(types: &Types<'d>, index: usize) -> &'d [EnumValueDefinition] {
    match &types.enums[index].body {
        TypeBody::Enum(values) => values,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::tests::{check, refused};

    #[test]
    fn values_are_texts_of_the_field_s_type() {
        let text = "type A { a: DateTime! @default(add: {value: \"$now\"}, update: {value: \"$now\"})\n\
                    b: Int @default(add: {value: \"7\"}) c: E @default(update: {value: \"F\"})\n\
                    d: Boolean @default(add: {value: false}) e: String @default(add: {value: \"x\"}) }\n\
                    enum E { F }";
        let defaults = |model: &crate::model::Model| {
            let fields = model.types[0].fields.iter();
            let fields = fields.map(|field| {
                format!("{}: {:?} {:?}", field.name, field.default_on_add, field.default_on_update)
            });
            fields.collect::<Vec<_>>()
        };
        check(
            text,
            defaults,
            &expect![[r#"
            [
                "a: Some(Now) Some(Now)",
                "b: Some(Value(\"7\")) None",
                "c: None Some(Value(\"F\"))",
                "d: Some(Value(\"false\")) None",
                "e: Some(Value(\"x\")) None",
            ]
        "#]],
        );
    }

    #[test]
    fn wrong_values_and_fields_are_refused() {
        let text = "type A {\n a: String @default(add: {value: \"$now\"})\n\
                    b: Int @default(add: {value: \"x\"})\n c: Float @default(add: {value: \"x\"})\n\
                    d: Boolean @default(add: {value: \"x\"})\n e: E @default(add: {value: \"x\"})\n\
                    f: A @default(add: {value: \"x\"})\n g: [Int] @default(add: {value: \"1\"})\n\
                    id: ID @default(add: {value: \"1\"})\n h: String! @id @default(add: {value: \"x\"})\n\
                    i: Int @default(add: {})\n j: Int64 @default(add: 1)\n\
                    k: DateTime @default(add: {value: \"now\"})\n}\nenum E { F }";
        refused(
            text,
            &expect![[r#"
            line 2, column 21: A.a: the default "$now" is no value of the field: `$now` is for DateTime only: write a value of the field's type
            line 3, column 17: A.b: the default "x" is no value of the field: write a whole number of 32 bits
            line 4, column 20: A.c: the default "x" is no value of the field: write a number
            line 5, column 21: A.d: the default "x" is no value of the field: write true or false
            line 6, column 16: A.e: the default "x" is no value of the field: write a value of the enum
            line 7, column 7: A.f: `@default` applies to scalars and enums: remove it
            line 8, column 12: A.g: `@default` does not apply to lists: remove it
            line 9, column 9: A.id: `@default` does not apply to ID: remove it
            line 10, column 18: A.h: `@default` does not apply with `@id`, whose values are unique: remove one of both
            line 11, column 17: A.i: `add` has no value: write `add: {value: "…"}`
            line 12, column 20: A.j: `add` has no value: write `add: {value: "…"}`
            line 13, column 22: A.k: the default "now" is no value of the field: write a time as in "2006-01-02T15:04:05Z", or "$now"
        "#]],
        );
    }
}
