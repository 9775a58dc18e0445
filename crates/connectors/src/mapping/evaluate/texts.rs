//! Texts from values, and values from texts.

use serde_json::{Number, Value};

use super::call::Call;
use super::{Evaluation, kind};
use crate::mapping::limits::Exceeded;
use crate::mapping::methods::Method;

impl<'v> Evaluation<'v> {
    /// A number without its fraction, or the number that a string is.
    pub(super) fn parse_int(
        &mut self,
        call: Call<'v, '_>,
        value: &Value,
    ) -> Result<Option<Value>, Exceeded> {
        let radix = match call.arguments.len() {
            0 => 10,
            _ => {
                let base = self.argument(call, 0, value)?;
                let base =
                    base.as_ref().and_then(Value::as_u64).and_then(|base| u32::try_from(base).ok());
                let Some(radix) = base.filter(|base| (2..=36).contains(base)) else {
                    self.wrong(call, "another base", "a base is a whole number from 2 to 36");
                    return Ok(None);
                };
                radix
            }
        };
        let number = match value {
            Value::Number(number) => truncate(number),
            Value::String(text) => i64::from_str_radix(text.trim(), radix).ok(),
            other => {
                self.wrong(call, kind(other), "it is called on a string or a number");
                return Ok(None);
            }
        };
        if number.is_none() {
            self.wrong(call, kind(value), "it is no whole number of 64 bits");
        }
        Ok(number.map(Value::from))
    }

    /// A scalar as text; that of null is empty.
    pub(super) fn text_of(
        &mut self,
        call: Call<'_, '_>,
        value: &Value,
    ) -> Result<Option<Value>, Exceeded> {
        if value.is_null() {
            return Ok(Some(Value::from("")));
        }
        let Some(text) = scalar(value) else {
            self.wrong(
                call,
                kind(value),
                "it is called on a scalar; `->jsonStringify` takes any value",
            );
            return Ok(None);
        };
        self.budget.text(text.len())?;
        Ok(Some(Value::String(text)))
    }

    pub(super) fn json_of(&mut self, value: &Value) -> Result<Option<Value>, Exceeded> {
        // The text is at most a few times as long as the value.
        self.budget.visit(value)?;
        Ok(Some(Value::String(value.to_string())))
    }

    /// The value of a JSON text.
    pub(super) fn json_parse(
        &mut self,
        call: Call<'_, '_>,
        value: &Value,
    ) -> Result<Option<Value>, Exceeded> {
        let Some(text) = self.text_in(call, value) else { return Ok(None) };
        self.budget.text(text.len())?;
        match serde_json::from_str(text) {
            Ok(parsed) => {
                self.budget.visit(&parsed)?;
                Ok(Some(parsed))
            }
            Err(_) => {
                self.wrong(call, kind(value), "it is no JSON");
                Ok(None)
            }
        }
    }

    /// Parts of a text between separators, at most as many as the second argument says; without a
    /// separator these are its characters.
    pub(super) fn split(
        &mut self,
        call: Call<'v, '_>,
        value: &Value,
    ) -> Result<Option<Value>, Exceeded> {
        let separator = self.argument(call, 0, value)?;
        let Some(Value::String(separator)) = separator else {
            let what = separator.as_ref().map_or("nothing", kind);
            self.wrong(call, what, "the separator is a string");
            return Ok(None);
        };
        let limit = match call.arguments.len() {
            1 => usize::MAX,
            _ => {
                let limit = self.argument(call, 1, value)?;
                let Some(limit) = limit.as_ref().and_then(Value::as_u64) else {
                    let what = limit.as_ref().map_or("nothing", kind);
                    self.wrong(call, what, "the limit is a whole number from 0");
                    return Ok(None);
                };
                usize::try_from(limit).unwrap_or(usize::MAX)
            }
        };
        let Some(text) = self.text_in(call, value) else { return Ok(None) };
        let mut parts = Vec::new();
        let mut add = |part: &str| -> Result<bool, Exceeded> {
            if parts.len() == limit {
                return Ok(false);
            }
            self.budget.text(part.len())?;
            parts.push(Value::from(part));
            Ok(true)
        };
        if separator.is_empty() {
            let mut buffer = [0; 4];
            for c in text.chars() {
                if !add(c.encode_utf8(&mut buffer))? {
                    break;
                }
            }
        } else {
            for part in text.split(separator.as_str()) {
                if !add(part)? {
                    break;
                }
            }
        }
        Ok(Some(Value::Array(parts)))
    }

    /// A text without white space at its ends.
    pub(super) fn trim(
        &mut self,
        call: Call<'_, '_>,
        value: &Value,
    ) -> Result<Option<Value>, Exceeded> {
        let Some(text) = self.text_in(call, value) else { return Ok(None) };
        let trimmed = match call.method {
            Method::TrimStart => text.trim_start(),
            Method::TrimEnd => text.trim_end(),
            _ => text.trim(),
        };
        self.budget.text(trimmed.len())?;
        Ok(Some(Value::from(trimmed)))
    }

    /// The text that a method is called on.
    fn text_in<'t>(&mut self, call: Call<'_, '_>, value: &'t Value) -> Option<&'t str> {
        let text = value.as_str();
        if text.is_none() {
            self.wrong(call, kind(value), "it is called on a string");
        }
        text
    }

    /// The texts of a list's scalars, without nulls.
    pub(super) fn join_not_null(
        &mut self,
        call: Call<'v, '_>,
        value: &Value,
    ) -> Result<Option<Value>, Exceeded> {
        let separator = self.argument(call, 0, value)?;
        let Some(Value::String(separator)) = separator else {
            let what = separator.as_ref().map_or("nothing", kind);
            self.wrong(call, what, "the separator is a string");
            return Ok(None);
        };
        let items = match value {
            Value::Array(items) => items.as_slice(),
            value => std::slice::from_ref(value),
        };
        let mut joined = String::new();
        let mut is_first = true;
        for item in items.iter().filter(|item| !item.is_null()) {
            let Some(text) = scalar(item) else {
                self.wrong(call, kind(item), "it joins strings, numbers and booleans");
                return Ok(None);
            };
            self.budget.text(text.len() + separator.len())?;
            if !is_first {
                joined.push_str(&separator);
            }
            is_first = false;
            joined.push_str(&text);
        }
        Ok(Some(Value::String(joined)))
    }
}

/// The text of a string, a number or a boolean.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn truncate(number: &Number) -> Option<i64> {
    if let Some(whole) = number.as_i64() {
        return Some(whole);
    }
    let value = number.as_f64()?.trunc();
    // Beyond these powers of two, the cast would give another number.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    #[expect(clippy::cast_possible_truncation, reason = "the bounds are checked")]
    (-LIMIT..LIMIT).contains(&value).then_some(value as i64)
}
