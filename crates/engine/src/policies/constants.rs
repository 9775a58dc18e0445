//! Constants of conditions, compared with the types of their columns: a value that no row can have
//! would be an error of the database in each request.

use catalog::{Catalog, FieldId, Scalar, Type};
use ir::Value;

/// Checks the type of a policy's constant: the values that its column takes, if it is none of them.
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
        Value::Null => return true,
        Value::Integer(number) => Some(*number),
        Value::Text(text) => text.trim_ascii().parse().ok(),
        // Only columns that are declared as booleans have these, in SQLite, too.
        _ => None,
    };
    number.is_some_and(|number: i64| match scalar {
        Scalar::Int16 => i16::try_from(number).is_ok(),
        Scalar::Int32 => i32::try_from(number).is_ok(),
        _ => true,
    })
}

/// Of texts those that PostgreSQL and SQLite read.
fn is_number(_: &Scalar, value: &Value) -> bool {
    match value {
        Value::Null | Value::Integer(_) | Value::Number(_) => true,
        Value::Text(text) => text.trim_ascii().parse().is_ok_and(f64::is_finite),
        _ => false,
    }
}

/// Of texts those that PostgreSQL and SQLite read.
fn is_boolean(_: &Scalar, value: &Value) -> bool {
    match value {
        Value::Null | Value::Boolean(_) | Value::Integer(0 | 1) => true,
        Value::Text(text) => {
            let words = ["true", "t", "yes", "on", "1", "false", "f", "no", "off", "0"];
            words.iter().any(|word| text.eq_ignore_ascii_case(word))
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
        let integers = [five.clone(), text(" 7 "), Value::Null];
        let no_integers = [text("abc"), text(""), fraction.clone(), Value::Boolean(true)];
        check(is_integer, Scalar::Int32, &integers, &no_integers);
        let large = Value::Integer(40_000);
        check(is_integer, Scalar::Int16, &[], std::slice::from_ref(&large));
        check(is_integer, Scalar::Int64, &[large], &[]);
        let numbers = [five.clone(), fraction, text("1e3"), text(" -.5")];
        let no_numbers = ["x", "NaN", "inf", "1e999", ""].map(text);
        check(is_number, Scalar::Float64, &numbers, &no_numbers);
        check(is_number, Scalar::Float64, &[], &[Value::Boolean(false)]);
        let booleans = [Value::Boolean(true), text("T"), text("off"), text("0"), Value::Integer(1)];
        check(is_boolean, Scalar::Boolean, &booleans, &[five]);
        let no_booleans = ["maybe", "", "fal", "ye", "of", "n", " t"].map(text);
        check(is_boolean, Scalar::Boolean, &[], &no_booleans);
    }
}
