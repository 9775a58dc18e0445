//! The dispatch of methods.

use std::borrow::Cow;

use serde_json::Value;

use super::{Evaluation, MaybeValue, Scope, kind};
use crate::mapping::limits::Exceeded;
use crate::mapping::methods::Method;
use crate::mapping::tree::{Expression, Offset};

/// A call of a method.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call<'v, 's> {
    pub(super) method: Method,
    pub(super) arguments: &'v [Expression],
    pub(super) scope: Scope<'s>,
    pub(super) at: Offset,
}

impl<'v> Evaluation<'v> {
    pub(super) fn call<'s>(
        &mut self,
        call: Call<'v, 's>,
        value: Cow<'s, Value>,
    ) -> Result<MaybeValue<'s>, Exceeded>
    where
        'v: 's,
    {
        let found = match call.method {
            Method::Echo => self.argument(call, 0, &value)?,
            Method::Map => return self.map(call, &value),
            Method::Filter => return self.filter(call, value),
            Method::Find => return self.find(call, value),
            Method::First => return self.first(value),
            Method::Last => return self.last(value),
            Method::Get => return self.get(call, value),
            Method::Slice => self.slice(call, &value)?,
            Method::Size => self.size(call, &value),
            Method::Entries => self.entries(call, &value)?,
            Method::Contains => self.contains(call, &value)?,
            Method::In => self.is_in(call, &value)?,
            Method::Match => self.first_match(call, &value)?,
            Method::Eq | Method::Ne => self.equality(call, &value)?,
            Method::Gt | Method::Gte | Method::Lt | Method::Lte => self.order(call, &value)?,
            Method::And | Method::Or => self.connective(call, &value)?,
            Method::Not => self.not(call, &value),
            Method::Add | Method::Sub | Method::Mul | Method::Div | Method::Mod => {
                self.arithmetic(call, &value)?
            }
            Method::ParseInt => self.parse_int(call, &value)?,
            Method::ToString => self.text_of(call, &value)?,
            Method::JsonParse => self.json_parse(call, &value)?,
            Method::KeysToCamelCase | Method::KeysToCamelCaseDeep => {
                self.keys_to_camel_case(call, &value)?
            }
            Method::Split => self.split(call, &value)?,
            Method::Trim | Method::TrimEnd | Method::TrimStart => self.trim(call, &value)?,
            Method::JsonStringify => self.json_of(&value)?,
            Method::JoinNotNull => self.join_not_null(call, &value)?,
        };
        Ok(found.map(Cow::Owned))
    }

    /// Evaluates an argument, in which `@` is `current`.
    pub(super) fn argument(
        &mut self,
        call: Call<'v, '_>,
        index: usize,
        current: &Value,
    ) -> Result<Option<Value>, Exceeded> {
        let Some(argument) = call.arguments.get(index) else { return Ok(None) };
        let scope = Scope { selected: call.scope.selected, current };
        let found = self.expression(argument, scope)?;
        found.map(|value| self.own(value)).transpose()
    }

    /// Whether the condition of an argument holds for `current`.
    pub(super) fn condition(
        &mut self,
        call: Call<'v, '_>,
        index: usize,
        current: &Value,
    ) -> Result<Option<bool>, Exceeded> {
        let Some(argument) = call.arguments.get(index) else { return Ok(None) };
        let scope = Scope { selected: call.scope.selected, current };
        let found = self.expression(argument, scope)?;
        match found.as_deref() {
            Some(Value::Bool(holds)) => Ok(Some(*holds)),
            other => {
                let what = other.map_or("nothing", kind);
                self.wrong(call, what, "a condition is true or false");
                Ok(None)
            }
        }
    }

    /// Adds the problem that a method got `what`, while it needs something else.
    pub(super) fn wrong(&mut self, call: Call<'_, '_>, what: &'static str, needs: &str) {
        let name = call.method.name();
        self.problems.add(call.at, what, || format!("`->{name}` got {what}: {needs}"));
    }
}
