//! Names of members in camel case.

use serde_json::{Map, Value};

use super::call::Call;
use super::{Evaluation, kind};
use crate::mapping::limits::Exceeded;
use crate::mapping::methods::Method;

impl<'v> Evaluation<'v> {
    /// An object whose names are in camel case; the deep method renames within members and lists, too.
    pub(super) fn keys_to_camel_case(
        &mut self,
        call: Call<'_, '_>,
        value: &Value,
    ) -> Result<Option<Value>, Exceeded> {
        if call.method == Method::KeysToCamelCaseDeep {
            return self.rename(call, value, true).map(Some);
        }
        if !value.is_object() {
            self.wrong(call, kind(value), "it is called on an object");
            return Ok(None);
        }
        self.rename(call, value, false).map(Some)
    }

    fn rename(
        &mut self,
        call: Call<'_, '_>,
        value: &Value,
        is_deep: bool,
    ) -> Result<Value, Exceeded> {
        match value {
            Value::Object(members) => {
                self.budget.text(0)?;
                let mut renamed = Map::new();
                for (name, value) in members {
                    self.budget.text(name.len())?;
                    let value = match is_deep {
                        true => self.rename(call, value, true)?,
                        false => self.budget.copy(value)?,
                    };
                    if renamed.insert(camel_case(name), value).is_some() {
                        let needs = "two names are the same in camel case, and the last one stays";
                        self.wrong(call, "an object", needs);
                    }
                }
                Ok(Value::Object(renamed))
            }
            Value::Array(items) => {
                self.budget.text(0)?;
                let items = items.iter().map(|item| self.rename(call, item, is_deep));
                Ok(Value::Array(items.collect::<Result<_, _>>()?))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                self.budget.copy(value)
            }
        }
    }
}

/// A name in camel case: `first_name`, `FirstName` and `FIRST_NAME` become `firstName`.
fn camel_case(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut camel = String::with_capacity(name.len());
    let mut is_start = false;
    for (idx, &c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            is_start = !camel.is_empty();
            continue;
        }
        let before = idx.checked_sub(1).map(|before| chars[before]);
        let after = chars.get(idx + 1);
        // `aB`, and the last capital letter of `HTTPStatus`, begin a word.
        let is_capital = c.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_numeric()
                    || before.is_uppercase() && after.is_some_and(|after| after.is_lowercase())
            });
        if (is_start || is_capital) && !camel.is_empty() {
            camel.extend(c.to_uppercase());
        } else {
            camel.extend(c.to_lowercase());
        }
        is_start = false;
    }
    if camel.is_empty() { name.to_owned() } else { camel }
}
