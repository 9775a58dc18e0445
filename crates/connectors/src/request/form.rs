//! Bodies of forms.
//! <https://www.apollographql.com/docs/graphos/connectors/requests/body#form-url-encoding>

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::RequestError;
use crate::mapping::scalar;

/// What is encoded: everything but these and spaces, which are `+`.
/// <https://url.spec.whatwg.org/#application-x-www-form-urlencoded-percent-encode-set>
const SET: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'*').remove(b'-').remove(b'.').remove(b'_').remove(b' ');

/// The members of an object as a form: items as `list[0]`, members of members as `outer[inner]`.
pub(super) fn encode(value: &Value) -> Result<String, RequestError> {
    let Value::Object(members) = value else { return Err(RequestError::Form) };
    let mut form = String::new();
    for (name, value) in members {
        add(&text(name), value, &mut form);
    }
    Ok(form)
}

fn add(name: &str, value: &Value, form: &mut String) {
    match value {
        Value::Array(items) => {
            for (idx, item) in items.iter().enumerate() {
                add(&format!("{name}[{idx}]"), item, form);
            }
        }
        Value::Object(members) => {
            for (member, value) in members {
                add(&format!("{name}[{}]", text(member)), value, form);
            }
        }
        scalar_value => {
            if !form.is_empty() {
                form.push('&');
            }
            form.push_str(name);
            form.push('=');
            form.push_str(&text(&scalar(scalar_value).unwrap_or_default()));
        }
    }
}

fn text(value: &str) -> String {
    utf8_percent_encode(value, SET).to_string().replace(' ', "+")
}
