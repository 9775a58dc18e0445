//! `@jwt`, version 3's `@jwtPayload`, and `@jwtClaim`: the claims of tokens, their names, and conditions on them.

use graphql::definitions::{Literal, TypeExpression};

use super::directives::{self, Known, Place};
use super::problem::{At, Problems};
use super::types::Type;
use crate::model::rules::ClaimNames;
use crate::model::{ApiVersion, Constant};
use access::{ClaimCondition, ClaimTest};

/// The claims that every token may have. <https://www.rfc-editor.org/rfc/rfc7519#section-4.1>
const REGISTERED: &[&str] = &["iss", "sub", "aud", "exp", "nbf", "iat", "jti"];

/// What claims are called, by the type that describes them.
pub(super) fn names(
    version: ApiVersion,
    types: &[Type<'_>],
    problems: &mut Problems,
) -> ClaimNames {
    let registered = REGISTERED.iter().map(|name| ((*name).into(), (*name).into()));
    let mut names = ClaimNames(registered.collect());
    if let Some(other) = types.get(1) {
        let message = "there is a type with `@jwt` already: tokens are of one kind";
        problems.wrong(other.at(), message);
    }
    let Some(r#type) = types.first() else { return names };
    for field in r#type.fields() {
        let definition = field.definition;
        let at = r#type.at().member(definition.line, &definition.name);
        let said = directives::check(version, Place::Field, at, &field.directives, problems);
        check_type(at, &definition.r#type, problems);
        let path = said.find(Known::JwtClaim).and_then(|said| said.text("path"));
        // A dot that belongs to a name is written with a backslash.
        let path = path.unwrap_or(&definition.name).replace("\\.", ".");
        if path.is_empty() {
            problems.wrong(at, "`@jwtClaim(path:)` is empty: a claim has a name");
        }
        names.0.retain(|(known, _)| *known != definition.name);
        names.0.push((definition.name.clone(), path.into()));
    }
    names
}

fn check_type(at: At<'_>, r#type: &TypeExpression, problems: &mut Problems) {
    let named = match r#type {
        TypeExpression::List { of, .. } => of,
        TypeExpression::Named { .. } => r#type,
    };
    let is_plain = match named {
        TypeExpression::Named { name, .. } => {
            matches!(&**name, "String" | "ID" | "Int" | "Float" | "Boolean")
        }
        TypeExpression::List { .. } => false,
    };
    if !is_plain {
        let message = "a claim is a String, ID, Int, Float or Boolean, or a list of such";
        problems.wrong(at, message);
    }
}

/// A condition on claims. Recursion is bounded by the parser of the definitions.
pub(super) fn condition(said: &Literal, names: &ClaimNames) -> Result<ClaimCondition, String> {
    let Literal::Object(members) = said else {
        return Err("a condition on claims is an object".to_owned());
    };
    let list = |said: &Literal| -> Result<Vec<ClaimCondition>, String> {
        match said {
            Literal::List(items) => items.iter().map(|said| condition(said, names)).collect(),
            one => Ok(vec![condition(one, names)?]),
        }
    };
    if members.is_empty() {
        return Err("a condition on claims says something".to_owned());
    }
    let mut all = Vec::with_capacity(members.len());
    for (name, value) in members {
        match &**name {
            "AND" => all.push(ClaimCondition::All(list(value)?)),
            "OR" => match list(value)? {
                any if any.is_empty() => return Err("`OR` is empty".to_owned()),
                any => all.push(ClaimCondition::Any(any)),
            },
            "NOT" => all.push(ClaimCondition::Not(Box::new(condition(value, names)?))),
            name => tests(name, value, names, &mut all)?,
        }
    }
    Ok(ClaimCondition::All(all))
}

/// What is asked of one claim: an object of operators, or an operator behind its name.
fn tests(
    name: &str,
    value: &Literal,
    names: &ClaimNames,
    all: &mut Vec<ClaimCondition>,
) -> Result<(), String> {
    let mut push = |claim: &str, test, value: &Literal| {
        let value = constant(value)?;
        let is_list = matches!(value, Constant::List(_));
        if (test == ClaimTest::In) != is_list && test != ClaimTest::Equal {
            return Err(format!("what `{name}` is compared with is of the wrong kind"));
        }
        all.push(ClaimCondition::Test { claim: claim.into(), test, value });
        Ok(())
    };
    if let Some(claim) = names.find(name) {
        let Literal::Object(operators) = value else {
            return Err(format!("`{name}` wants an object of operators, such as `{{eq: …}}`"));
        };
        if operators.is_empty() {
            return Err(format!("`{name}` wants an operator"));
        }
        return operators.iter().try_for_each(|(operator, value)| match test(operator) {
            Some(test) => push(claim, test, value),
            None => Err(format!("a claim is not compared by `{operator}`")),
        });
    }
    let known = SUFFIXES.iter().find_map(|(suffix, test)| {
        let claim = names.find(name.strip_suffix(suffix)?)?;
        Some((claim, *test))
    });
    match known {
        Some((claim, test)) => push(claim, test, value),
        None => Err(format!("there is no claim `{name}`: name it in a type with `@jwt`")),
    }
}

fn test(operator: &str) -> Option<ClaimTest> {
    Some(match operator {
        "eq" => ClaimTest::Equal,
        "in" => ClaimTest::In,
        "includes" => ClaimTest::Includes,
        "contains" => ClaimTest::Contains,
        "startsWith" => ClaimTest::StartsWith,
        "endsWith" => ClaimTest::EndsWith,
        "lt" => ClaimTest::Less,
        "lte" => ClaimTest::LessOrEqual,
        "gt" => ClaimTest::Greater,
        "gte" => ClaimTest::GreaterOrEqual,
        _ => return None,
    })
}

const SUFFIXES: &[(&str, ClaimTest)] = &[
    ("_EQ", ClaimTest::Equal),
    ("_IN", ClaimTest::In),
    ("_INCLUDES", ClaimTest::Includes),
    ("_CONTAINS", ClaimTest::Contains),
    ("_STARTS_WITH", ClaimTest::StartsWith),
    ("_ENDS_WITH", ClaimTest::EndsWith),
    ("_LT", ClaimTest::Less),
    ("_LTE", ClaimTest::LessOrEqual),
    ("_GT", ClaimTest::Greater),
    ("_GTE", ClaimTest::GreaterOrEqual),
];

fn constant(said: &Literal) -> Result<Constant, String> {
    Ok(match said {
        Literal::String(text) if text.starts_with('$') => {
            return Err(format!("{text:?} is another claim: claims are compared with values"));
        }
        Literal::String(text) => Constant::Text(text.clone()),
        Literal::Boolean(value) => Constant::Boolean(*value),
        Literal::Int(digits) => match digits.parse() {
            Ok(number) => Constant::Integer(number),
            Err(_) => Constant::Float(digits.clone()),
        },
        Literal::Float(text) => Constant::Float(text.clone()),
        Literal::List(items) => {
            Constant::List(items.iter().map(constant).collect::<Result<_, _>>()?)
        }
        Literal::Null | Literal::Enum(_) | Literal::Object(_) => {
            return Err("a claim is compared with texts, numbers, booleans or lists".to_owned());
        }
    })
}
