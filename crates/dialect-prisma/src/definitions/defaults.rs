//! `@default`: values of fields that a client omits.

use graphql::definitions::Literal;
use graphql::definitions::problem::{At, Problems, alternatives};
use response::calendar::Moment;

use super::directives::{Applied, Known, find_argument};
use super::version::Version;
use crate::model::{Default, Enum, ScalarType};

pub(super) fn read(
    at: At<'_>,
    r#type: ScalarType,
    enums: &[Enum],
    version: Version,
    applied: &Applied<'_>,
    problems: &mut Problems,
) -> Option<Default> {
    let directive = applied.find(Known::Default)?;
    let argument = find_argument(directive, "value")?;
    let at = at.argument(argument);
    // In version 1.0, values of all types were texts.
    let written = match (&argument.value, version) {
        (Literal::String(text), Version::First) => from_text(r#type, text),
        _ => argument.value.clone(),
    };
    let default = match (r#type, &written) {
        (ScalarType::String, Literal::String(text)) => Ok(Default::Text((&**text).into())),
        (ScalarType::Int, Literal::Int(digits)) => match digits.parse::<i32>() {
            Ok(value) => Ok(Default::Int(value.into())),
            Err(_) => Err("the number has more than 32 bits: write a smaller one".to_owned()),
        },
        (ScalarType::Float, Literal::Int(digits) | Literal::Float(digits)) => {
            match digits.parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(Default::Float(value)),
                _ => Err("the number is too large: write a smaller one".to_owned()),
            }
        }
        (ScalarType::Boolean, Literal::Boolean(value)) => Ok(Default::Boolean(*value)),
        (ScalarType::DateTime, Literal::String(text)) => match Moment::read(text) {
            Some(_) => Ok(Default::Text((&**text).into())),
            None => Err("the text is no moment: write one as in \
                         \"2018-01-31T12:00:00.000Z\""
                .to_owned()),
        },
        (ScalarType::Json, Literal::String(text)) => {
            match serde_json::from_str::<serde_json::Value>(text) {
                Ok(_) => Ok(Default::Text((&**text).into())),
                Err(error) => Err(format!("the text is no JSON, {error}: correct it")),
            }
        }
        (ScalarType::Enum(index), Literal::Enum(label)) => label_of(enums, index.0, label),
        (ScalarType::Id | ScalarType::Uuid, _) => {
            Err("ids have no defaults: remove `@default`".to_owned())
        }
        (ScalarType::String, _) => Err("a text is in quotes: write `value: \"…\"`".to_owned()),
        (ScalarType::Int, _) => Err("it is no integer: write one".to_owned()),
        (ScalarType::Float, _) => Err("it is no number: write one".to_owned()),
        (ScalarType::Boolean, _) => Err("it is no boolean: write true or false".to_owned()),
        (ScalarType::DateTime, _) => {
            Err("a moment is in quotes: write `value: \"2018-01-31T12:00:00.000Z\"`".to_owned())
        }
        (ScalarType::Json, _) => Err("JSON is in quotes: write `value: \"{}\"`".to_owned()),
        (ScalarType::Enum(_), _) => {
            Err("a value of an enum has no quotes: write its name".to_owned())
        }
    };
    default.map_err(|message| problems.refuse(at, message)).ok()
}

fn label_of(enums: &[Enum], index: usize, label: &str) -> Result<Default, String> {
    let labels: Vec<&str> = enums
        .get(index)
        .map(|own| own.values.iter().map(|label| &**label).collect())
        .unwrap_or_default();
    match labels.contains(&label) {
        true => Ok(Default::Text(label.into())),
        false => Err(format!("the enum has no value `{label}`: write {}", alternatives(&labels))),
    }
}

/// The literal that a text of version 1.0 means.
fn from_text(r#type: ScalarType, text: &str) -> Literal {
    match r#type {
        ScalarType::Int => Literal::Int(text.into()),
        ScalarType::Float => Literal::Float(text.into()),
        ScalarType::Boolean => match text {
            "true" => Literal::Boolean(true),
            "false" => Literal::Boolean(false),
            _ => Literal::String(text.into()),
        },
        ScalarType::Enum(_) => Literal::Enum(text.into()),
        ScalarType::String
        | ScalarType::DateTime
        | ScalarType::Json
        | ScalarType::Id
        | ScalarType::Uuid => Literal::String(text.into()),
    }
}
