//! Comparisons, conditions and choices.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::call::Call;
use super::{Evaluation, NULL, Scope, kind};
use crate::mapping::limits::{Budget, Exceeded};
use crate::mapping::methods::Method;
use crate::mapping::tree::Expression;

impl<'v> Evaluation<'v> {
    pub(super) fn equality(
        &mut self,
        call: Call<'v, '_>,
        value: &Value,
    ) -> Result<Option<Value>, Exceeded> {
        let other = self.argument(call, 0, value)?;
        let Some(other) = other else { return Ok(None) };
        let is_equal = are_equal(value, &other, &mut self.budget)?;
        Ok(Some(Value::Bool(is_equal == (call.method == Method::Eq))))
    }

    /// Compares two numbers or two strings.
    pub(super) fn order(
        &mut self,
        call: Call<'v, '_>,
        value: &Value,
    ) -> Result<Option<Value>, Exceeded> {
        let other = self.argument(call, 0, value)?;
        let ordering = match (value, &other) {
            (Value::Number(one), Some(Value::Number(other))) => compare_numbers(one, other),
            (Value::String(one), Some(Value::String(other))) => Some(one.cmp(other)),
            _ => None,
        };
        let Some(ordering) = ordering else {
            let is_comparable = matches!(value, Value::Number(_) | Value::String(_));
            let what =
                if is_comparable { other.as_ref().map_or("nothing", kind) } else { kind(value) };
            self.wrong(call, what, "it compares two numbers or two strings");
            return Ok(None);
        };
        Ok(Some(Value::Bool(match call.method {
            Method::Gt => ordering == Ordering::Greater,
            Method::Gte => ordering != Ordering::Less,
            Method::Lt => ordering == Ordering::Less,
            _ => ordering != Ordering::Greater,
        })))
    }

    /// `->and` and `->or`, whose arguments are evaluated until the result is known.
    pub(super) fn connective(
        &mut self,
        call: Call<'v, '_>,
        value: &Value,
    ) -> Result<Option<Value>, Exceeded> {
        let decisive = call.method == Method::Or;
        let Value::Bool(first) = value else {
            self.wrong(call, kind(value), "it is called on true or false");
            return Ok(None);
        };
        if *first == decisive {
            return Ok(Some(Value::Bool(decisive)));
        }
        for index in 0..call.arguments.len() {
            match self.condition(call, index, value)? {
                None => return Ok(None),
                Some(holds) if holds == decisive => return Ok(Some(Value::Bool(decisive))),
                Some(_) => {}
            }
        }
        Ok(Some(Value::Bool(!decisive)))
    }

    pub(super) fn not(&mut self, call: Call<'_, '_>, value: &Value) -> Option<Value> {
        let Value::Bool(holds) = value else {
            self.wrong(call, kind(value), "it is called on true or false");
            return None;
        };
        Some(Value::Bool(!holds))
    }

    /// The second one of the first pair whose first one equals the value.
    pub(super) fn first_match(
        &mut self,
        call: Call<'v, '_>,
        value: &Value,
    ) -> Result<Option<Value>, Exceeded> {
        let scope = Scope { selected: call.scope.selected, current: value };
        for argument in call.arguments {
            // The parser has checked that all are pairs.
            let Expression::List(pair) = argument else { continue };
            let [candidate, result] = &pair[..] else { continue };
            // In a list, what is missing is null.
            let candidate = self.expression(candidate, scope)?;
            let candidate = candidate.as_deref().unwrap_or(&NULL);
            if are_equal(value, candidate, &mut self.budget)? {
                let found = self.expression(result, scope)?;
                return found.map(|value| self.own(value)).transpose();
            }
        }
        self.wrong(
            call,
            kind(value),
            "no pair matches it; `[@, …]` as the last one matches anything",
        );
        Ok(None)
    }
}

/// Whether two values are equal; numbers are by their values.
pub(super) fn are_equal(one: &Value, other: &Value, budget: &mut Budget) -> Result<bool, Exceeded> {
    budget.step()?;
    Ok(match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            compare_numbers(one, other) == Some(Ordering::Equal)
        }
        (Value::Array(one), Value::Array(other)) => {
            if one.len() != other.len() {
                return Ok(false);
            }
            for (one, other) in one.iter().zip(other) {
                if !are_equal(one, other, budget)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Object(one), Value::Object(other)) => {
            if one.len() != other.len() {
                return Ok(false);
            }
            for (name, one) in one {
                let Some(other) = other.get(name) else { return Ok(false) };
                if !are_equal(one, other, budget)? {
                    return Ok(false);
                }
            }
            true
        }
        (one, other) => one == other,
    })
}

/// Compares two numbers, whole ones exactly.
fn compare_numbers(one: &Number, other: &Number) -> Option<Ordering> {
    let whole = |number: &Number| {
        number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
    };
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}
