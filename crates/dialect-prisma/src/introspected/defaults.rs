//! Defaults of columns, as far as a datamodel has them.

use catalog::FieldDefault;

use crate::model::{Default, ScalarType};

/// The default of a field. As in Prisma, moments, JSON and values of enums are left to the database.
pub(super) fn default(r#type: ScalarType, known: &FieldDefault) -> Option<Default> {
    match (r#type, known) {
        (ScalarType::String, FieldDefault::Text(text)) => Some(Default::Text(text.clone())),
        (ScalarType::Int, FieldDefault::Number(digits) | FieldDefault::Text(digits)) => {
            let number: Option<i32> = digits.parse().ok();
            number.map(|number| Default::Int(number.into()))
        }
        (ScalarType::Float, FieldDefault::Number(digits) | FieldDefault::Text(digits)) => {
            let number: Option<f64> = digits.parse().ok();
            number.filter(|number| number.is_finite()).map(Default::Float)
        }
        (ScalarType::Boolean, FieldDefault::Boolean(value)) => Some(Default::Boolean(*value)),
        // Booleans of SQLite are numbers.
        (ScalarType::Boolean, FieldDefault::Number(digits)) => match &**digits {
            "0" => Some(Default::Boolean(false)),
            "1" => Some(Default::Boolean(true)),
            _ => None,
        },
        (
            ScalarType::Id
            | ScalarType::String
            | ScalarType::Int
            | ScalarType::Float
            | ScalarType::Boolean
            | ScalarType::DateTime
            | ScalarType::Json
            | ScalarType::Uuid
            | ScalarType::Enum(_),
            _,
        ) => None,
    }
}

#[cfg(test)]
mod tests {
    use catalog::{FieldDefault, Sequence};

    use super::default;
    use crate::model::{Default, ScalarType};

    #[test]
    fn literals_fit_the_type() {
        let text = |text: &str| FieldDefault::Text(text.into());
        let number = |text: &str| FieldDefault::Number(text.into());
        let sequence = FieldDefault::Sequence(Sequence { name: "a_seq".into(), start: 1 });
        for (r#type, known, expected) in [
            (ScalarType::String, text("a"), Some(Default::Text("a".into()))),
            (ScalarType::String, number("1"), None),
            (ScalarType::Int, number("3"), Some(Default::Int(3))),
            (ScalarType::Int, text("-3"), Some(Default::Int(-3))),
            (ScalarType::Int, number("3000000000"), None),
            (ScalarType::Int, sequence, None),
            (ScalarType::Float, number("3.4"), Some(Default::Float(3.4))),
            (ScalarType::Float, text("NaN"), None),
            (ScalarType::Boolean, FieldDefault::Boolean(true), Some(Default::Boolean(true))),
            (ScalarType::Boolean, number("0"), Some(Default::Boolean(false))),
            (ScalarType::Boolean, number("2"), None),
            (ScalarType::DateTime, text("2018-01-01"), None),
            (ScalarType::Json, text("{}"), None),
            (ScalarType::Uuid, text("a"), None),
        ] {
            assert_eq!(default(r#type, &known), expected, "{type:?} {known:?}");
        }
    }
}
