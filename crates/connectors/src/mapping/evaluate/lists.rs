//! Methods of lists, objects and texts by position.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::call::Call;
use super::compare::are_equal;
use super::{Evaluation, MaybeValue, kind};
use crate::mapping::limits::Exceeded;

impl<'v> Evaluation<'v> {
    /// A list of the argument for each item; one value is a list of one item.
    pub(super) fn map<'s>(
        &mut self,
        call: Call<'v, 's>,
        value: &Value,
    ) -> Result<MaybeValue<'s>, Exceeded> {
        let items = match value {
            Value::Array(items) => items.as_slice(),
            value => std::slice::from_ref(value),
        };
        self.budget.text(0)?;
        let mut results = Vec::with_capacity(items.len());
        for item in items {
            results.push(self.argument(call, 0, item)?.unwrap_or(Value::Null));
        }
        Ok(Some(Cow::Owned(Value::Array(results))))
    }

    pub(super) fn filter<'s>(
        &mut self,
        call: Call<'v, 's>,
        value: Cow<'s, Value>,
    ) -> Result<MaybeValue<'s>, Exceeded> {
        self.budget.text(0)?;
        let mut kept = Vec::new();
        match value {
            Cow::Owned(Value::Array(items)) => {
                for item in items {
                    match self.condition(call, 0, &item)? {
                        Some(true) => kept.push(item),
                        Some(false) => {}
                        None => return Ok(None),
                    }
                }
            }
            value => {
                let items = match &*value {
                    Value::Array(items) => items.as_slice(),
                    value => std::slice::from_ref(value),
                };
                for item in items {
                    match self.condition(call, 0, item)? {
                        Some(true) => kept.push(self.budget.copy(item)?),
                        Some(false) => {}
                        None => return Ok(None),
                    }
                }
            }
        }
        Ok(Some(Cow::Owned(Value::Array(kept))))
    }

    pub(super) fn find<'s>(
        &mut self,
        call: Call<'v, 's>,
        value: Cow<'s, Value>,
    ) -> Result<MaybeValue<'s>, Exceeded> {
        let items = match &*value {
            Value::Array(items) => items.as_slice(),
            value => std::slice::from_ref(value),
        };
        let mut position = None;
        for (idx, item) in items.iter().enumerate() {
            match self.condition(call, 0, item)? {
                Some(true) => {
                    position = Some(idx);
                    break;
                }
                Some(false) => {}
                None => return Ok(None),
            }
        }
        Ok(position.and_then(|idx| match &*value {
            Value::Array(_) => item(value, idx),
            _ => Some(value),
        }))
    }

    pub(super) fn first<'s>(&mut self, value: Cow<'s, Value>) -> Result<MaybeValue<'s>, Exceeded> {
        Ok(match &*value {
            Value::Array(_) => item(value, 0),
            Value::String(text) => text.chars().next().map(character),
            _ => Some(value),
        })
    }

    pub(super) fn last<'s>(&mut self, value: Cow<'s, Value>) -> Result<MaybeValue<'s>, Exceeded> {
        Ok(match &*value {
            Value::Array(items) => items.len().checked_sub(1).and_then(|idx| item(value, idx)),
            Value::String(text) => text.chars().next_back().map(character),
            _ => Some(value),
        })
    }

    /// The item or character at an index, from the end if it is negative, or the member of a name.
    pub(super) fn get<'s>(
        &mut self,
        call: Call<'v, 's>,
        value: Cow<'s, Value>,
    ) -> Result<MaybeValue<'s>, Exceeded> {
        let key = self.argument(call, 0, &value)?;
        let found = match (&*value, &key) {
            (Value::Object(_), Some(Value::String(name))) => {
                return self.key(value, name, call.at, false);
            }
            (Value::Array(items), Some(Value::Number(index))) => index
                .as_i64()
                .and_then(|index| position(index, items.len()))
                .and_then(|idx| item(value, idx)),
            (Value::String(text), Some(Value::Number(index))) => index
                .as_i64()
                .and_then(|index| position(index, text.chars().count()))
                .and_then(|idx| text.chars().nth(idx))
                .map(character),
            (Value::Object(_), _) => {
                self.wrong(call, "another key", "the key of an object is a string");
                return Ok(None);
            }
            (Value::Array(_) | Value::String(_), _) => {
                self.wrong(call, "another index", "the index of a list or a string is a number");
                return Ok(None);
            }
            (Value::Null | Value::Bool(_) | Value::Number(_), _) => {
                self.wrong(call, kind(&value), "it is called on a list, a string or an object");
                return Ok(None);
            }
        };
        if found.is_none() {
            self.wrong(call, "an index", "there is nothing at this index");
        }
        Ok(found)
    }

    /// Items or characters from an index up to another one, which is not included.
    pub(super) fn slice(
        &mut self,
        call: Call<'v, '_>,
        value: &Value,
    ) -> Result<Option<Value>, Exceeded> {
        let length = match value {
            Value::Array(items) => items.len(),
            Value::String(text) => text.chars().count(),
            other => {
                self.wrong(call, kind(other), "it is called on a list or a string");
                return Ok(None);
            }
        };
        let Some(start) = self.bound(call, 0, value, length)? else { return Ok(None) };
        let end = match call.arguments.len() {
            1 => length,
            _ => {
                let Some(end) = self.bound(call, 1, value, length)? else { return Ok(None) };
                end
            }
        };
        let count = end.saturating_sub(start);
        let part = match value {
            Value::Array(items) => {
                self.budget.text(0)?;
                let items = items.iter().skip(start).take(count);
                Value::Array(items.map(|item| self.budget.copy(item)).collect::<Result<_, _>>()?)
            }
            Value::String(text) => {
                self.budget.text(text.len())?;
                Value::String(text.chars().skip(start).take(count).collect())
            }
            _ => return Ok(None),
        };
        Ok(Some(part))
    }

    /// A bound of a slice, between 0 and `length`.
    fn bound(
        &mut self,
        call: Call<'v, '_>,
        index: usize,
        value: &Value,
        length: usize,
    ) -> Result<Option<usize>, Exceeded> {
        let bound = self.argument(call, index, value)?;
        let Some(bound) = bound.as_ref().and_then(Value::as_i64) else {
            let what = bound.as_ref().map_or("nothing", kind);
            self.wrong(call, what, "the bounds are whole numbers");
            return Ok(None);
        };
        Ok(Some(usize::try_from(bound.max(0)).unwrap_or(usize::MAX).min(length)))
    }

    /// The number of items, characters or members.
    pub(super) fn size(&mut self, call: Call<'_, '_>, value: &Value) -> Option<Value> {
        let size = match value {
            Value::Array(items) => items.len(),
            Value::String(text) => text.chars().count(),
            Value::Object(members) => members.len(),
            Value::Null | Value::Bool(_) | Value::Number(_) => {
                self.wrong(call, kind(value), "it is called on a list, a string or an object");
                return None;
            }
        };
        Some(Value::from(size))
    }

    /// An object `{key, value}` for each member.
    pub(super) fn entries(
        &mut self,
        call: Call<'_, '_>,
        value: &Value,
    ) -> Result<Option<Value>, Exceeded> {
        let Value::Object(members) = value else {
            self.wrong(call, kind(value), "it is called on an object");
            return Ok(None);
        };
        let mut entries = Vec::with_capacity(members.len());
        for (key, value) in members {
            self.budget.text(key.len())?;
            let mut entry = Map::new();
            entry.insert("key".into(), Value::String(key.clone()));
            entry.insert("value".into(), self.budget.copy(value)?);
            entries.push(Value::Object(entry));
        }
        Ok(Some(Value::Array(entries)))
    }

    /// Whether a list has an item that equals the argument.
    pub(super) fn contains(
        &mut self,
        call: Call<'v, '_>,
        value: &Value,
    ) -> Result<Option<Value>, Exceeded> {
        let Value::Array(items) = value else {
            self.wrong(call, kind(value), "it is called on a list");
            return Ok(None);
        };
        let wanted = self.argument(call, 0, value)?;
        let Some(wanted) = wanted else { return Ok(None) };
        for item in items {
            self.budget.step()?;
            if are_equal(item, &wanted, &mut self.budget)? {
                return Ok(Some(Value::Bool(true)));
            }
        }
        Ok(Some(Value::Bool(false)))
    }

    /// Whether the value equals an argument, or an item of the only argument.
    pub(super) fn is_in(
        &mut self,
        call: Call<'v, '_>,
        value: &Value,
    ) -> Result<Option<Value>, Exceeded> {
        for index in 0..call.arguments.len() {
            let Some(argument) = self.argument(call, index, value)? else { return Ok(None) };
            if are_equal(value, &argument, &mut self.budget)? {
                return Ok(Some(Value::Bool(true)));
            }
            let Value::Array(items) = argument else { continue };
            if call.arguments.len() == 1 {
                for item in &items {
                    if are_equal(value, item, &mut self.budget)? {
                        return Ok(Some(Value::Bool(true)));
                    }
                }
            }
        }
        Ok(Some(Value::Bool(false)))
    }
}

fn character<'s>(c: char) -> Cow<'s, Value> {
    Cow::Owned(Value::String(c.into()))
}

/// The position of an index, which counts from the end if it is negative.
fn position(index: i64, length: usize) -> Option<usize> {
    if index >= 0 {
        return usize::try_from(index).ok().filter(|&index| index < length);
    }
    usize::try_from(index.unsigned_abs()).ok().and_then(|back| length.checked_sub(back))
}

/// The item of a list.
fn item(list: Cow<'_, Value>, index: usize) -> Option<Cow<'_, Value>> {
    match list {
        Cow::Borrowed(list) => list.get(index).map(Cow::Borrowed),
        Cow::Owned(Value::Array(mut items)) if index < items.len() => {
            Some(Cow::Owned(items.swap_remove(index)))
        }
        Cow::Owned(_) => None,
    }
}
