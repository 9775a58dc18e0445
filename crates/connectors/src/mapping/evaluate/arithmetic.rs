//! Arithmetic: exact for whole numbers, else floating point. A quotient is always floating point.

use serde_json::{Number, Value};

use super::call::Call;
use super::{Evaluation, kind};
use crate::mapping::limits::Exceeded;
use crate::mapping::methods::Method;

impl<'v> Evaluation<'v> {
    /// Applies the method to the value and each argument in turn.
    pub(super) fn arithmetic(
        &mut self,
        call: Call<'v, '_>,
        value: &Value,
    ) -> Result<Option<Value>, Exceeded> {
        let Value::Number(number) = value else {
            self.wrong(call, kind(value), "it is called on a number");
            return Ok(None);
        };
        let mut result = number.clone();
        for index in 0..call.arguments.len() {
            let argument = self.argument(call, index, value)?;
            let Some(Value::Number(operand)) = &argument else {
                let what = argument.as_ref().map_or("nothing", kind);
                self.wrong(call, what, "its arguments are numbers");
                return Ok(None);
            };
            match apply(call.method, &result, operand) {
                Some(next) => result = next,
                None => {
                    let needs = "the result is no number: it is too large, or divided by zero";
                    self.wrong(call, "such numbers", needs);
                    return Ok(None);
                }
            }
        }
        Ok(Some(Value::Number(result)))
    }
}

fn apply(method: Method, one: &Number, other: &Number) -> Option<Number> {
    if let (Some(one), Some(other)) = (one.as_i64(), other.as_i64()) {
        let whole = match method {
            Method::Add => one.checked_add(other),
            Method::Sub => one.checked_sub(other),
            Method::Mul => one.checked_mul(other),
            Method::Mod => return one.checked_rem(other).map(Number::from),
            _ => None,
        };
        if let Some(whole) = whole {
            return Some(Number::from(whole));
        }
    }
    let (one, other) = (one.as_f64()?, other.as_f64()?);
    let result = match method {
        Method::Add => one + other,
        Method::Sub => one - other,
        Method::Mul => one * other,
        Method::Mod => one % other,
        _ => one / other,
    };
    Number::from_f64(result)
}
