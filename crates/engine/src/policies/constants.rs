//! Constants of conditions, compared with the types of their columns: a value that no row can have
//! would be an error of the database in each request.

use catalog::{Catalog, FieldId, Scalar, Type};
use ir::Value;

/// What a column needs, if a constant is no value of its type.
pub(super) fn misfit(catalog: &Catalog, field: FieldId, value: &Value) -> Option<&'static str> {
    let Type::Scalar(scalar) = catalog.base_type(&catalog[field].r#type) else { return None };
    let (wanted, fits): (_, fn(&Scalar, &Value) -> bool) = match scalar {
        Scalar::Int16 | Scalar::Int32 | Scalar::Int64 => ("an integer of its size", is_integer),
        Scalar::Float32 | Scalar::Float64 | Scalar::Decimal { .. } => ("a number", is_number),
        Scalar::Boolean => ("`true` or `false`", is_boolean),
        _ => return None,
    };
    let is_fit = match value {
        Value::List(items) => items.iter().all(|item| fits(scalar, item)),
        value => fits(scalar, value),
    };
    (!is_fit).then_some(wanted)
}

fn is_integer(scalar: &Scalar, value: &Value) -> bool {
    let number = match value {
        // SQLite has no booleans: columns of integers have them.
        Value::Null | Value::Boolean(_) => return true,
        Value::Integer(number) => Some(*number),
        Value::Text(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.is_some_and(|number: i64| match scalar {
        Scalar::Int16 => i16::try_from(number).is_ok(),
        Scalar::Int32 => i32::try_from(number).is_ok(),
        _ => true,
    })
}

fn is_number(_: &Scalar, value: &Value) -> bool {
    match value {
        Value::Null | Value::Integer(_) | Value::Number(_) => true,
        Value::Text(text) => text.trim().parse::<f64>().is_ok(),
        _ => false,
    }
}

fn is_boolean(_: &Scalar, value: &Value) -> bool {
    match value {
        Value::Null | Value::Boolean(_) | Value::Integer(0 | 1) => true,
        // PostgreSQL reads the beginnings of words, too.
        Value::Text(text) => {
            let text = text.trim().to_ascii_lowercase();
            let words = ["true", "false", "yes", "no"];
            !text.is_empty() && words.iter().any(|word| word.starts_with(&text))
                || ["on", "off", "of", "1", "0"].contains(&&*text)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    #[test]
    fn constants_fit_the_types_of_their_columns() {
        let check =
            |fits: fn(&Scalar, &Value) -> bool, scalar: Scalar, good: &[Value], bad: &[Value]| {
                for value in good {
                    assert!(fits(&scalar, value), "{scalar:?} {value:?}");
                }
                for value in bad {
                    assert!(!fits(&scalar, value), "{scalar:?} {value:?}");
                }
            };
        let (five, fraction) = (Value::Integer(5), Value::Number("1.5".into()));
        let integers = [five.clone(), text(" 7 "), Value::Null, Value::Boolean(true)];
        let no_integers = [text("abc"), text(""), fraction.clone()];
        check(is_integer, Scalar::Int32, &integers, &no_integers);
        let large = Value::Integer(40_000);
        check(is_integer, Scalar::Int16, &[], std::slice::from_ref(&large));
        check(is_integer, Scalar::Int64, &[large], &[]);
        let numbers = [five.clone(), fraction, text("1e3"), text("NaN")];
        check(is_number, Scalar::Float64, &numbers, &[text("x"), Value::Boolean(false)]);
        let booleans =
            [Value::Boolean(true), text("T"), text("off"), text("fal"), Value::Integer(1)];
        check(is_boolean, Scalar::Boolean, &booleans, &[text("maybe"), text(""), five]);
    }
}
