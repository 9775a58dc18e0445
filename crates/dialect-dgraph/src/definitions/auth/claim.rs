//! Rules on claims: `{$ROLE: {eq: "ADMIN"}}`.

use access::Pattern;
use serde_json::Value;

use crate::model::{ClaimCondition, ClaimRule, ClaimValue};

const EXAMPLE: &str = "write it as `{$ROLE: {eq: \"ADMIN\"}}`";

/// Reads a rule, or returns the mistake with its remedy.
pub(super) fn read(text: &str) -> Result<ClaimRule, String> {
    let malformed = || format!("the rule is no condition on a claim: {EXAMPLE}");
    let (variable, rest) =
        inner(text).and_then(|rest| rest.split_once(':')).ok_or_else(malformed)?;
    let (operator, operand) =
        inner(rest).and_then(|rest| rest.split_once(':')).ok_or_else(malformed)?;
    let claim = match variable.trim().strip_prefix('$') {
        Some(claim) if !claim.is_empty() => claim,
        _ => return Err(format!("`{}` is no variable: {EXAMPLE}", variable.trim())),
    };
    let Ok(operand) = serde_json::from_str(operand) else {
        return Err(format!("`{}` is no value: write JSON", operand.trim()));
    };
    let condition = match operator.trim() {
        "eq" => ClaimCondition::Equal(value(&operand).ok_or_else(|| {
            "`eq` compares with one value: write a text, a number or a boolean".to_owned()
        })?),
        "in" => match &operand {
            Value::Array(items) => {
                let values: Option<Vec<ClaimValue>> = items.iter().map(value).collect();
                ClaimCondition::In(values.ok_or_else(|| {
                    "`in` compares with values: write texts, numbers and booleans".to_owned()
                })?)
            }
            _ => return Err("`in` compares with a list: write `{in: [\"A\", \"B\"]}`".to_owned()),
        },
        "regexp" => match operand {
            Value::String(pattern) => ClaimCondition::Matches(self::pattern(&pattern)?),
            _ => return Err("`regexp` compares with a pattern: write it in quotes".to_owned()),
        },
        operator => {
            return Err(format!("a claim is not compared by `{operator}`: use eq, in or regexp"));
        }
    };
    Ok(ClaimRule { claim: claim.into(), condition })
}

fn pattern(text: &str) -> Result<Pattern, String> {
    Pattern::new(text).map_err(|error| {
        // Above its last line, it shows the pattern and marks the place.
        let reason = error.lines().last().unwrap_or_default();
        let reason = reason.strip_prefix("error: ").unwrap_or(reason);
        format!("the pattern of `regexp` is malformed: {reason}: correct it")
    })
}

/// The text between braces.
fn inner(text: &str) -> Option<&str> {
    text.trim().strip_prefix('{')?.strip_suffix('}')
}

/// A value that a claim is compared with; null and lists are none.
fn value(operand: &Value) -> Option<ClaimValue> {
    match operand {
        Value::String(text) => Some(ClaimValue::Text(text.as_str().into())),
        Value::Bool(value) => Some(ClaimValue::Boolean(*value)),
        Value::Number(number) => match number.as_i64() {
            Some(value) => Some(ClaimValue::Integer(value)),
            None => number.as_f64().map(ClaimValue::Float),
        },
        Value::Object(_) => Some(ClaimValue::Object(operand.to_string().into())),
        Value::Null | Value::Array(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &Expect) {
        match read(text) {
            Ok(rule) => expected.assert_eq(&format!("{} {:?}", rule.claim, rule.condition)),
            Err(message) => expected.assert_eq(&message),
        }
    }

    #[test]
    fn claims_are_compared_with_values() {
        check("{$ROLE: {eq: \"ADMIN\"}}", &expect![[r#"ROLE Equal(Text("ADMIN"))"#]]);
        check(
            "{ $X_Y : { in : [\"a:}\", 1, -2.5, true] } }",
            &expect![[r#"X_Y In([Text("a:}"), Integer(1), Float(-2.5), Boolean(true)])"#]],
        );
        check(
            "{\n$USER:{regexp:\"^a.*$\"}\n}",
            &expect![[r#"USER Matches(Pattern(Regex("^a.*$")))"#]],
        );
        check(
            "{$O: {in: [{\"a\": {\"b\": 1}}]}}",
            &expect![[r#"O In([Object("{\"a\":{\"b\":1}}")])"#]],
        );
        check("{$N: {eq: 99999999999999999999}}", &expect!["N Equal(Float(1e20))"]);
    }

    #[test]
    fn other_conditions_are_refused() {
        for (text, expected) in [
            (
                "{ \"ADMIN\" }",
                &expect![[
                    r#"the rule is no condition on a claim: write it as `{$ROLE: {eq: "ADMIN"}}`"#
                ]],
            ),
            (
                "{$A}",
                &expect![[
                    r#"the rule is no condition on a claim: write it as `{$ROLE: {eq: "ADMIN"}}`"#
                ]],
            ),
            (
                "{A: {eq: 1}}",
                &expect![[r#"`A` is no variable: write it as `{$ROLE: {eq: "ADMIN"}}`"#]],
            ),
            ("{$A: {xyz: 1}}", &expect!["a claim is not compared by `xyz`: use eq, in or regexp"]),
            ("{$A: {eq: nil}}", &expect!["`nil` is no value: write JSON"]),
            (
                "{$A: {eq: null}}",
                &expect!["`eq` compares with one value: write a text, a number or a boolean"],
            ),
            (
                "{$A: {eq: [1]}}",
                &expect!["`eq` compares with one value: write a text, a number or a boolean"],
            ),
            ("{$A: {eq: }}", &expect!["`` is no value: write JSON"]),
            (
                "{$A: {in: \"a\"}}",
                &expect![[r#"`in` compares with a list: write `{in: ["A", "B"]}`"#]],
            ),
            ("{$A: {in: [{b: 1}]}}", &expect!["`[{b: 1}]` is no value: write JSON"]),
            (
                "{$A: {regexp: \"(\"}}",
                &expect!["the pattern of `regexp` is malformed: unclosed group: correct it"],
            ),
            ("{$A: {regexp: 1}}", &expect!["`regexp` compares with a pattern: write it in quotes"]),
        ] {
            check(text, expected);
        }
    }
}
