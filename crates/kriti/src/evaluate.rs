//! The value of a template.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::{Map, Value};

use crate::compare::{compare, is_equal};
use crate::function::kind;
use crate::tree::{Expression, Location, Operator, Range, Step, Template};

/// The values that a template uses.
#[derive(Clone, Copy, Debug)]
pub struct Environment<'a> {
    pub variables: &'a [(&'a str, &'a Value)],
    /// Session variables, with names in lower case.
    pub session: Option<&'a Map<String, Value>>,
    /// The most bytes, about, of all values that are made on the way.
    pub most_bytes: usize,
}

/// Why a template has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluateError {
    #[error("{place}: {message}")]
    Value { place: Location, message: Box<str> },
    #[error("the values of the template take more than {most} bytes")]
    TooLarge { most: usize },
}

impl Template {
    /// The value of the template.
    pub fn evaluate(&self, environment: &Environment<'_>) -> Result<Value, EvaluateError> {
        let mut state = State { environment, left: environment.most_bytes };
        let value = state.evaluate(&self.root, &Locals::None)?;
        state.own(value)
    }
}

type Evaluated<'v> = Result<Cow<'v, Value>, EvaluateError>;

/// State of an evaluation.
struct State<'e> {
    environment: &'e Environment<'e>,
    left: usize,
}

/// Variables of loops.
#[derive(Clone, Copy)]
enum Locals<'l> {
    None,
    Some { name: &'l str, value: &'l Value, outer: &'l Locals<'l> },
}

impl<'l> Locals<'l> {
    fn find(&self, wanted: &str) -> Option<&'l Value> {
        let mut next = self;
        while let Self::Some { name, value, outer } = next {
            if *name == wanted {
                return Some(value);
            }
            next = outer;
        }
        None
    }
}

impl<'e> State<'e> {
    /// Recursion is bounded by the limit of depth when the template was read.
    fn evaluate<'v>(&mut self, expression: &'v Expression, locals: &'v Locals<'v>) -> Evaluated<'v>
    where
        'e: 'v,
    {
        Ok(match expression {
            Expression::Value(value) => Cow::Borrowed(value),
            Expression::Text(parts) => {
                let mut text = String::new();
                for part in parts {
                    match &*self.evaluate(part, locals)? {
                        Value::String(part) => text.push_str(part),
                        other => text.push_str(&other.to_string()),
                    }
                }
                self.charge(text.len())?;
                Cow::Owned(Value::String(text))
            }
            Expression::List(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    let value = self.evaluate(item, locals)?;
                    values.push(self.own(value)?);
                }
                Cow::Owned(Value::Array(values))
            }
            Expression::Object(members) => {
                let mut values = Map::with_capacity(members.len());
                for (key, member) in members {
                    let value = self.evaluate(member, locals)?;
                    values.insert(String::from(&**key), self.own(value)?);
                }
                Cow::Owned(Value::Object(values))
            }
            // Only an optional path may begin with a variable that is not in scope.
            Expression::Variable(name) => match self.variable(name, locals) {
                Some(value) => Cow::Borrowed(value),
                None => Cow::Owned(Value::Null),
            },
            Expression::Path { of, step, place } => {
                let value = self.evaluate(of, locals)?;
                self.required(value, step, locals, *place)?
            }
            Expression::OptionalPath { of, steps, place } => {
                let value = match self.evaluate(of, locals) {
                    Ok(value) => value,
                    Err(EvaluateError::Value { .. }) => Cow::Owned(Value::Null),
                    Err(error @ EvaluateError::TooLarge { .. }) => return Err(error),
                };
                self.optional(value, steps, locals, *place)?
            }
            Expression::If { branches, otherwise } => {
                for (condition, value, place) in branches {
                    let condition = self.evaluate(condition, locals)?;
                    if boolean(&condition, *place)? {
                        return self.evaluate(value, locals);
                    }
                }
                self.evaluate(otherwise, locals)?
            }
            Expression::Range(range) => Cow::Owned(self.range(range, locals)?),
            Expression::Call { function, argument, place } => {
                let argument = self.evaluate(argument, locals)?;
                self.charge(size(&argument))?;
                let value = function.call(argument, self.environment.session);
                value
                    .map_err(|message| failed(*place, format!("{}: {message}", function.name())))?
            }
            Expression::Binary { operator, operands, place } => {
                self.binary(*operator, operands, locals, *place)?
            }
        })
    }

    fn variable<'v>(&self, name: &str, locals: &'v Locals<'v>) -> Option<&'v Value>
    where
        'e: 'v,
    {
        let known = self.environment.variables.iter().find(|(known, _)| *known == name);
        locals.find(name).or_else(|| known.map(|(_, value)| *value))
    }

    /// The member or the element of a value, which has to exist.
    fn required<'v>(
        &mut self,
        value: Cow<'v, Value>,
        step: &'v Step,
        locals: &'v Locals<'v>,
        place: Location,
    ) -> Evaluated<'v>
    where
        'e: 'v,
    {
        let step = self.step(step, locals)?;
        match (&*value, &*step) {
            (Value::Object(members), Value::String(name)) if !members.contains_key(name) => {
                return Err(failed(place, format!("the object has no member `{name}`")));
            }
            (Value::Array(items), Value::Number(index)) if element(items, index).is_none() => {
                return Err(failed(place, format!("the array has no element {index}")));
            }
            (Value::Object(_), Value::String(_)) | (Value::Array(_), Value::Number(_)) => {}
            (of @ Value::Array(_), step) => {
                return Err(failed(place, format!("{} has no {step}", kind(of))));
            }
            (of, step) => {
                let message = format!("{} has no member {step}, only an object has", kind(of));
                return Err(failed(place, message));
            }
        }
        self.find(value, &step).map(|found| found.unwrap_or(Cow::Owned(Value::Null)))
    }

    /// A member or an element along a path; null if it does not exist.
    fn optional<'v>(
        &mut self,
        mut value: Cow<'v, Value>,
        steps: &'v [Step],
        locals: &'v Locals<'v>,
        place: Location,
    ) -> Evaluated<'v>
    where
        'e: 'v,
    {
        if let (false, Value::Bool(_) | Value::Number(_) | Value::String(_)) =
            (steps.is_empty(), &*value)
        {
            return Err(failed(place, format!("{} has no members", kind(&value))));
        }
        for step in steps {
            let step = self.step(step, locals)?;
            match self.find(value, &step)? {
                Some(found) => value = found,
                None => return Ok(Cow::Owned(Value::Null)),
            }
        }
        Ok(value)
    }

    fn step<'v>(&mut self, step: &'v Step, locals: &'v Locals<'v>) -> Evaluated<'v>
    where
        'e: 'v,
    {
        match step {
            Step::Member(name) => Ok(Cow::Owned(Value::String(String::from(&**name)))),
            Step::Computed(expression) => self.evaluate(expression, locals),
        }
    }

    fn find<'v>(
        &mut self,
        value: Cow<'v, Value>,
        step: &Value,
    ) -> Result<Option<Cow<'v, Value>>, EvaluateError> {
        let pick = |value: &'v Value| match (value, step) {
            (Value::Object(members), Value::String(name)) => members.get(name),
            (Value::Array(items), Value::Number(index)) => element(items, index),
            _ => None,
        };
        Ok(match value {
            Cow::Borrowed(value) => pick(value).map(Cow::Borrowed),
            Cow::Owned(Value::Object(mut members)) => {
                step.as_str().and_then(|name| members.swap_remove(name)).map(Cow::Owned)
            }
            Cow::Owned(Value::Array(mut items)) => {
                let index = step.as_u64().and_then(|index| usize::try_from(index).ok());
                let index = index.filter(|index| *index < items.len());
                index.map(|index| Cow::Owned(items.swap_remove(index)))
            }
            Cow::Owned(_) => None,
        })
    }

    fn range<'v>(
        &mut self,
        range: &'v Range,
        locals: &'v Locals<'v>,
    ) -> Result<Value, EvaluateError>
    where
        'e: 'v,
    {
        let list = self.evaluate(&range.list, locals)?;
        let Value::Array(items) = &*list else {
            let message = format!("`range` is over an array, not {}", kind(&list));
            return Err(failed(range.place, message));
        };
        let mut values = Vec::with_capacity(items.len());
        for (number, item) in items.iter().enumerate() {
            let index = Value::from(number);
            let inner = match &range.index {
                Some(name) => Locals::Some { name, value: &index, outer: locals },
                None => *locals,
            };
            let inner = Locals::Some { name: &range.item, value: item, outer: &inner };
            let value = self.evaluate(&range.body, &inner)?;
            let value = self.own(value)?;
            self.charge(size_of::<Value>())?;
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn binary<'v>(
        &mut self,
        operator: Operator,
        operands: &'v (Expression, Expression),
        locals: &'v Locals<'v>,
        place: Location,
    ) -> Evaluated<'v>
    where
        'e: 'v,
    {
        let left = self.evaluate(&operands.0, locals)?;
        if operator == Operator::Default {
            return match left.is_null() {
                true => self.evaluate(&operands.1, locals),
                false => Ok(left),
            };
        }
        let right = self.evaluate(&operands.1, locals)?;
        self.charge(size(&left).saturating_add(size(&right)))?;
        let order = || compare(&left, &right);
        let value = match operator {
            Operator::Or => boolean(&left, place)? | boolean(&right, place)?,
            Operator::And => boolean(&left, place)? & boolean(&right, place)?,
            Operator::Equal => is_equal(&left, &right),
            Operator::NotEqual => !is_equal(&left, &right),
            Operator::Less => order() == Ordering::Less,
            Operator::LessOrEqual => order() != Ordering::Greater,
            Operator::Greater => order() == Ordering::Greater,
            Operator::GreaterOrEqual => order() != Ordering::Less,
            Operator::In => match (&*left, &*right) {
                (Value::String(key), Value::Object(members)) => members.contains_key(key),
                (item, Value::Array(items)) => items.iter().any(|one| is_equal(one, item)),
                (_, Value::Object(_)) => {
                    let message = format!("a key is a string, not {}", kind(&left));
                    return Err(failed(place, message));
                }
                (_, other) => {
                    let message = format!("`in` takes an array or an object, not {}", kind(other));
                    return Err(failed(place, message));
                }
            },
            Operator::Default => false,
        };
        Ok(Cow::Owned(Value::Bool(value)))
    }

    fn own(&mut self, value: Cow<'_, Value>) -> Result<Value, EvaluateError> {
        if let Cow::Borrowed(value) = &value {
            self.charge(size(value))?;
        }
        Ok(value.into_owned())
    }

    fn charge(&mut self, bytes: usize) -> Result<(), EvaluateError> {
        let most = self.environment.most_bytes;
        self.left = self.left.checked_sub(bytes).ok_or(EvaluateError::TooLarge { most })?;
        Ok(())
    }
}

fn element<'v>(items: &'v [Value], index: &serde_json::Number) -> Option<&'v Value> {
    items.get(usize::try_from(index.as_u64()?).ok()?)
}

fn boolean(value: &Value, place: Location) -> Result<bool, EvaluateError> {
    value
        .as_bool()
        .ok_or_else(|| failed(place, format!("a boolean is wanted, not {}", kind(value))))
}

fn failed(place: Location, message: String) -> EvaluateError {
    EvaluateError::Value { place, message: message.into() }
}

/// About how many bytes a value takes.
fn size(value: &Value) -> usize {
    let inner = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => {
            members.iter().map(|(key, value)| key.len() + size_of::<String>() + size(value)).sum()
        }
    };
    inner + size_of::<Value>()
}
