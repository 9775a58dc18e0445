//! Codes and texts of problems with a request.

use graphql::operation::OperationKind;
use graphql::problem::{Expected, Problem, ValueKind};

const VALIDATION_FAILED: &str = "validation-failed";

/// Hasura's code and text of a problem.
pub(super) fn told(problem: &Problem) -> (&'static str, String) {
    let text = match problem {
        Problem::UnknownOperation { name } => {
            format!("no such operation found in the document: \"{name}\"")
        }
        Problem::NoSingleOperation => {
            "exactly one operation has to be present in the document when \
                                       operationName is not specified"
                .into()
        }
        Problem::NoRootType { kind } => match kind {
            OperationKind::Query => "no queries exist".into(),
            OperationKind::Mutation => "no mutations exist".into(),
            OperationKind::Subscription => "no subscriptions exist".into(),
        },
        Problem::SeveralRootFields => "subscriptions must select one top level field".into(),
        Problem::MissingVariable { name } => {
            format!("expecting a value for non-nullable variable: \"{name}\"")
        }
        Problem::NullVariable { r#type } => {
            format!("null value found for non-nullable type: \"{type}\"")
        }
        Problem::UndefinedVariable { name } => format!("unbound variable \"{name}\""),
        Problem::VariableType { name, declared, expected } => format!(
            "variable '{name}' is declared as '{declared}', but used where '{expected}' is expected"
        ),
        Problem::UndefinedFragment { name } => {
            format!("reference to undefined fragment \"{name}\"")
        }
        Problem::FragmentCycle { names } => {
            format!("the fragment definition(s) {} form a cycle", listed(names))
        }
        Problem::UnknownDirective { name } => {
            format!("directive '{name}' is not defined in the schema")
        }
        Problem::UnknownField { name, r#type } | Problem::UnknownInputField { name, r#type } => {
            format!("field '{name}' not found in type: '{type}'")
        }
        Problem::MissingSelectionSet { r#type } => format!("missing selection set for '{type}'"),
        Problem::UnexpectedSelectionSet => {
            "unexpected subselection set for non-object field".into()
        }
        Problem::UnknownArgument { field, name } => {
            format!("'{field}' has no argument named '{name}'")
        }
        Problem::MissingInput { name } => format!("missing required field '{name}'"),
        Problem::UnknownEnumValue { name, r#type, known } => {
            let known: Vec<_> = known.iter().map(|value| format!("'{value}'")).collect();
            format!(
                "expected one of the values [{}] for type '{type}', but found '{name}'",
                known.join(", ")
            )
        }
        Problem::UnexpectedNull { r#type } => format!("unexpected null value for type '{type}'"),
        Problem::NullList => "expected a list, but found null".into(),
        Problem::WrongValue { expected, r#type, found } => format!(
            "expected {} for type '{type}', but found {}",
            expected_text(*expected),
            found_text(*found)
        ),
        Problem::Unreadable { message } => return ("parse-failed", message.to_string()),
        Problem::NoInteger { number } => {
            let text = format!(
                "The value {} lies outside the bounds or is not an integer. Maybe it is a float, or \
                 is there integer overflow?",
                scientific(number)
            );
            return ("parse-failed", text);
        }
    };
    (VALIDATION_FAILED, text)
}

/// Names with commas, and `and` before the last.
fn listed(names: &[Box<str>]) -> String {
    match names {
        [] => String::new(),
        [one] => one.to_string(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn expected_text(expected: Expected) -> &'static str {
    match expected {
        Expected::Boolean => "a boolean",
        Expected::Integer => "a 32-bit integer",
        Expected::Count => "a non-negative 32-bit integer",
        Expected::Float => "a float",
        Expected::String => "a string",
        Expected::Identifier => "a String or a 32-bit integer",
        Expected::Enum => "an enum value",
        Expected::Object => "an object",
    }
}

fn found_text(found: ValueKind) -> &'static str {
    match found {
        ValueKind::Null => "null",
        ValueKind::Boolean => "a boolean",
        ValueKind::String => "a string",
        ValueKind::Integer => "an integer",
        ValueKind::Float => "a float",
        ValueKind::Number => "a number",
        ValueKind::Enum => "an enum value",
        ValueKind::List => "a list",
        ValueKind::Object => "an object",
    }
}

/// A number as Haskell writes it: with an exponent from ten million on, `3.0e9`.
fn scientific(number: &str) -> String {
    let (sign, digits) = match number.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", number),
    };
    if digits.len() < 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return number.to_owned();
    }
    let (first, rest) = digits.split_at(1);
    let fraction = match rest.trim_end_matches('0') {
        "" => "0",
        fraction => fraction,
    };
    format!("{sign}{first}.{fraction}e{}", rest.len())
}
