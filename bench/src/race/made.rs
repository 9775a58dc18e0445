//! Numbers that a database makes: they stand in the answers of whoever writes, and differ each
//! time.

use serde_json::Value;

/// The answer with a zero for each digit of the numbers that are this member.
pub(crate) fn mask(body: &[u8], member: &str) -> Vec<u8> {
    let mut masked = body.to_vec();
    for place in places(body, member) {
        masked[place].fill(b'0');
    }
    masked
}

/// Masks a value of JSON: its numbers become zero.
pub(crate) fn mask_value(value: &mut Value, member: &str) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if name == member && value.is_i64() {
                    *value = Value::from(0);
                } else {
                    mask_value(value, member);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| mask_value(value, member)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The numbers that are this member, in their order.
pub(crate) fn numbers(body: &[u8], member: &str) -> Vec<i64> {
    let texts = places(body, member).into_iter().map(|place| std::str::from_utf8(&body[place]));
    texts.filter_map(|text| text.ok()?.parse().ok()).collect()
}

/// The ranges of their digits.
fn places(body: &[u8], member: &str) -> Vec<std::ops::Range<usize>> {
    let name = format!("\"{member}\":");
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(rest) = body.get(from..).filter(|rest| rest.len() >= name.len()) {
        if !rest.starts_with(name.as_bytes()) {
            from += 1;
            continue;
        }
        let start = from + name.len();
        let digits = body[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        from = start + digits;
        if digits > 0 {
            places.push(start..from);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(body: &str, masked: &str, expected: &[i64]) {
        assert_eq!(String::from_utf8_lossy(&mask(body.as_bytes(), "id")), masked);
        assert_eq!(numbers(body.as_bytes(), "id"), expected);
    }

    #[test]
    fn only_the_digits_of_the_member_are_masked() {
        check(r#"{"a":{"id":1203,"b":12}}"#, r#"{"a":{"id":0000,"b":12}}"#, &[1203]);
        check(r#"[{"id":7},{"id":89}]"#, r#"[{"id":0},{"id":00}]"#, &[7, 89]);
        check(r#"{"id":null,"vid":5}"#, r#"{"id":null,"vid":5}"#, &[]);
        check(r#"{"id":"#, r#"{"id":"#, &[]);
        check("", "", &[]);
    }

    #[test]
    fn numbers_of_a_value_become_zero() {
        let mut value = json!({ "a": [{ "id": 5, "b": 6 }], "id": null });
        mask_value(&mut value, "id");
        assert_eq!(value, json!({ "a": [{ "id": 0, "b": 6 }], "id": null }));
    }
}
