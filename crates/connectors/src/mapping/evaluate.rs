//! The evaluation of mappings.
//!
//! What is missing has no value, which differs from null: its name is left out of an object, while in
//! a list it is null. Values of the response and of variables are borrowed until a result needs them.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::limits::{Budget, Exceeded};
use super::problem::Problems;
use super::tree::{Coalesce, Entry, Expression, Offset, Path, Root, Start, Step, StepKind};
use crate::variables::Variables;

mod arithmetic;
mod call;
mod camel_case;
mod compare;
mod lists;
#[cfg(test)]
mod tests;
mod texts;

use call::Call;
pub(crate) use texts::scalar;

/// A value, or none if it is missing.
type MaybeValue<'s> = Option<Cow<'s, Value>>;

static NULL: Value = Value::Null;

/// What `$` and `@` are.
#[derive(Clone, Copy, Debug)]
struct Scope<'s> {
    selected: &'s Value,
    current: &'s Value,
}

impl<'s> Scope<'s> {
    fn of(value: &'s Value) -> Self {
        Self { selected: value, current: value }
    }
}

/// An evaluation: its variables, and what is left of its limits.
#[derive(Debug)]
pub(super) struct Evaluation<'v> {
    pub(super) variables: &'v Variables<'v>,
    pub(super) budget: Budget,
    pub(super) problems: Problems<'v>,
}

impl<'v> Evaluation<'v> {
    /// The value of a mapping over a response, or over nothing.
    pub(super) fn root(
        &mut self,
        root: &'v Root,
        response: Option<&'v Value>,
    ) -> Result<Option<Value>, Exceeded> {
        let input = response.unwrap_or(&NULL);
        match root {
            Root::Entries(entries) => {
                let value = self.select(entries, input)?;
                // Of nothing nothing can be selected: the value is null, and no empty object.
                let is_nothing = response == Some(&Value::Null)
                    && !entries.is_empty()
                    && value.as_object().is_some_and(Map::is_empty);
                Ok(Some(if is_nothing { Value::Null } else { value }))
            }
            Root::Expression(expression) => {
                let found = self.expression(expression, Scope::of(input))?;
                found.map(|value| self.own(value)).transpose()
            }
        }
    }

    fn own(&mut self, value: Cow<'_, Value>) -> Result<Value, Exceeded> {
        match value {
            Cow::Borrowed(value) => self.budget.copy(value),
            Cow::Owned(value) => Ok(value),
        }
    }

    /// The selected members of an object, or of each object of a list.
    fn select(&mut self, entries: &'v [Entry], value: &Value) -> Result<Value, Exceeded> {
        self.budget.step()?;
        if let Value::Array(items) = value {
            self.budget.text(0)?;
            let items = items.iter().map(|item| match item {
                Value::Null => Ok(Value::Null),
                item => self.select(entries, item),
            });
            return Ok(Value::Array(items.collect::<Result<_, _>>()?));
        }
        self.object(entries, Scope::of(value))
    }

    /// The object of some members; null, if a spread value is.
    fn object(&mut self, entries: &'v [Entry], scope: Scope<'_>) -> Result<Value, Exceeded> {
        self.budget.text(0)?;
        let mut object = Map::new();
        let mut is_null = false;
        for entry in entries {
            let Some(name) = &entry.name else {
                is_null |= self.merge(entry, scope, &mut object)?;
                continue;
            };
            self.problems.enter(name);
            let found = self.expression(&entry.value, scope);
            self.problems.leave();
            if let Some(value) = found? {
                self.budget.text(name.len())?;
                let value = self.own(value)?;
                object.insert(name.to_string(), value);
            }
        }
        Ok(if is_null { Value::Null } else { Value::Object(object) })
    }

    /// Makes the members of a value those of `object`. Returns whether the object is null instead.
    fn merge(
        &mut self,
        entry: &'v Entry,
        scope: Scope<'_>,
        object: &mut Map<String, Value>,
    ) -> Result<bool, Exceeded> {
        let found = self.expression(&entry.value, scope)?;
        match found.map(|value| self.own(value)).transpose()? {
            None => {}
            Some(Value::Null) => return Ok(entry.is_spread),
            Some(Value::Object(members)) => object.extend(members),
            Some(other) => {
                let what = kind(&other);
                self.problems.add(entry.at, what, || {
                    format!("{what} has no members that could be those of the object")
                });
            }
        }
        Ok(false)
    }

    fn expression<'s>(
        &mut self,
        expression: &'v Expression,
        scope: Scope<'s>,
    ) -> Result<MaybeValue<'s>, Exceeded>
    where
        'v: 's,
    {
        self.budget.step()?;
        match expression {
            Expression::Literal(value) => Ok(Some(Cow::Borrowed(value))),
            Expression::Object(entries) => Ok(Some(Cow::Owned(self.object(entries, scope)?))),
            Expression::List(items) => {
                self.budget.text(0)?;
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    let value = self.expression(item, scope)?.unwrap_or(Cow::Owned(Value::Null));
                    values.push(self.own(value)?);
                }
                Ok(Some(Cow::Owned(Value::Array(values))))
            }
            Expression::Path(path) => self.path(path, scope),
            Expression::Coalesce(first, rest) => self.coalesce(first, rest, scope),
        }
    }

    fn coalesce<'s>(
        &mut self,
        first: &'v Expression,
        rest: &'v [(Coalesce, Expression)],
        scope: Scope<'s>,
    ) -> Result<MaybeValue<'s>, Exceeded>
    where
        'v: 's,
    {
        let mut operand = first;
        for (operator, alternative) in rest {
            // That a value is missing is no problem if there is another.
            self.problems.mute();
            let found = self.expression(operand, scope);
            self.problems.unmute();
            let found = found?;
            let is_absent = match (&found, operator) {
                (None, _) => true,
                (Some(value), Coalesce::Null) => value.is_null(),
                (Some(_), Coalesce::Missing) => false,
            };
            if !is_absent {
                return Ok(found);
            }
            operand = alternative;
        }
        self.expression(operand, scope)
    }

    fn path<'s>(&mut self, path: &'v Path, scope: Scope<'s>) -> Result<MaybeValue<'s>, Exceeded>
    where
        'v: 's,
    {
        let is_optional =
            |step: usize| path.steps.get(step).is_some_and(|step| step.kind == StepKind::Optional);
        let mut found = self.start(path, scope, is_optional(0))?;
        for (idx, step) in path.steps.iter().enumerate() {
            let Some(value) = found else { return Ok(None) };
            self.budget.step()?;
            found = self.step(step, value, scope, is_optional(idx + 1))?;
        }
        let (Some(value), Some(entries)) = (&found, &path.selection) else { return Ok(found) };
        if value.is_null() {
            return Ok(found);
        }
        Ok(Some(Cow::Owned(self.select(entries, value)?)))
    }

    fn start<'s>(
        &mut self,
        path: &'v Path,
        scope: Scope<'s>,
        is_optional: bool,
    ) -> Result<MaybeValue<'s>, Exceeded>
    where
        'v: 's,
    {
        match &path.start {
            Start::Selected => Ok(Some(Cow::Borrowed(scope.selected))),
            Start::Current => Ok(Some(Cow::Borrowed(scope.current))),
            Start::Variable(variable) => {
                let value = self.variables.get(*variable);
                if value.is_none() && !is_optional {
                    let name = variable.name();
                    self.problems.add(path.at, name, || format!("`${name}` has no value"));
                }
                Ok(value.map(Cow::Borrowed))
            }
            Start::Key(name) => self.key(Cow::Borrowed(scope.selected), name, path.at, is_optional),
            Start::Expression(expression) => self.expression(expression, scope),
        }
    }

    fn step<'s>(
        &mut self,
        step: &'v Step,
        value: Cow<'s, Value>,
        scope: Scope<'s>,
        is_optional: bool,
    ) -> Result<MaybeValue<'s>, Exceeded>
    where
        'v: 's,
    {
        match &step.kind {
            StepKind::Key(name) => self.key(value, name, step.at, is_optional),
            StepKind::Optional => Ok(Some(value).filter(|value| !value.is_null())),
            StepKind::Call(method, arguments) => {
                self.call(Call { method: *method, arguments, scope, at: step.at }, value)
            }
        }
    }

    /// The member of an object, or the members of a list's objects.
    fn key<'s>(
        &mut self,
        value: Cow<'s, Value>,
        name: &str,
        at: Offset,
        is_optional: bool,
    ) -> Result<MaybeValue<'s>, Exceeded> {
        if let Value::Array(items) = &*value {
            self.budget.text(0)?;
            let mut values = Vec::with_capacity(items.len());
            for item in items {
                self.budget.step()?;
                let member = self.key(Cow::Borrowed(item), name, at, is_optional)?;
                values.push(self.own(member.unwrap_or(Cow::Owned(Value::Null)))?);
            }
            return Ok(Some(Cow::Owned(Value::Array(values))));
        }
        let what = kind(&value);
        let found = match value {
            Cow::Borrowed(value) => value.get(name).map(Cow::Borrowed),
            // Nothing else of the object is needed.
            Cow::Owned(Value::Object(mut members)) => members.remove(name).map(Cow::Owned),
            Cow::Owned(_) => None,
        };
        if found.is_none() && !is_optional {
            self.problems.add(at, what, || format!("there is no `{name}` in {what}"));
        }
        Ok(found)
    }
}

/// What a value is, for messages.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "the object",
    }
}
