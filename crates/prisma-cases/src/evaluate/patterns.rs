//! Patterns, cases and `for`.

use std::rc::Rc;

use super::{Evaluated, Program, Stop};
use crate::scala::{Case, Enumerator, Expression, Pattern};
use crate::value::{Host, Scope, Value, equal};

impl Program<'_> {
    /// Binds the names of a pattern if the value matches it.
    pub(super) fn matches(
        &self,
        pattern: &Pattern,
        value: &Value,
        scope: &Scope,
    ) -> Result<bool, Stop> {
        match pattern {
            Pattern::Any => Ok(true),
            Pattern::Name(name) => {
                scope.bind_value(name, value.clone());
                Ok(true)
            }
            Pattern::Value(expression) => Ok(equal(&self.evaluate(expression, scope)?, value)),
            Pattern::Tuple(patterns) => match value {
                Value::Tuple(items) if items.len() == patterns.len() => {
                    self.all_match(patterns, items, scope)
                }
                Value::Anything => {
                    self.all_match(patterns, &vec![Value::Anything; patterns.len()], scope)
                }
                _ => Ok(false),
            },
            Pattern::Extract(name, patterns) => match (&**name, value) {
                ("Some", Value::Option(Some(inner))) => {
                    self.all_match(patterns, &[(**inner).clone()], scope)
                }
                ("Some", _) => Ok(false),
                ("Vector" | "List" | "Seq", Value::List(items))
                    if items.len() == patterns.len() =>
                {
                    self.all_match(patterns, items, scope)
                }
                _ => Err(Self::not_understood(format!("the pattern {name}(…)"))),
            },
            // Cases that tell types apart are looked at where they are run.
            Pattern::Typed(inner, _) => self.matches(inner, value, scope),
            Pattern::Alternatives(patterns) => {
                for pattern in patterns {
                    // The names of `val a, b = value` are written so, too: all are bound.
                    if !matches!(pattern, Pattern::Name(_)) {
                        if self.matches(pattern, value, scope)? {
                            return Ok(true);
                        }
                        continue;
                    }
                    self.matches(pattern, value, scope)?;
                }
                Ok(patterns.iter().any(|pattern| matches!(pattern, Pattern::Name(_))))
            }
        }
    }

    fn all_match(
        &self,
        patterns: &[Pattern],
        values: &[Value],
        scope: &Scope,
    ) -> Result<bool, Stop> {
        for (pattern, value) in patterns.iter().zip(values) {
            if !self.matches(pattern, value, scope)? {
                return Ok(false);
            }
        }
        Ok(patterns.len() == values.len())
    }

    pub(super) fn run_cases(&self, cases: &[Case], value: &Value, scope: &Scope) -> Evaluated {
        for case in cases {
            if let Pattern::Typed(_, type_name) = &case.pattern
                && cases.len() > 1
            {
                match is_of_type(value, type_name) {
                    Some(true) => {}
                    Some(false) => continue,
                    None => {
                        let reason = format!("a case for the type {type_name}");
                        return Err(Self::not_understood(reason));
                    }
                }
            }
            let own = Scope::new(Some(scope.clone()));
            if !self.matches(&case.pattern, value, &own)? {
                continue;
            }
            if let Some(guard) = &case.guard
                && !matches!(self.evaluate(guard, &own)?, Value::Bool(true))
            {
                continue;
            }
            return self.evaluate(&case.body, &own);
        }
        Err(Self::not_understood("a value that no case matches"))
    }

    pub(super) fn run_for(
        &self,
        enumerators: &[Enumerator],
        body: &Expression,
        scope: &Scope,
        results: &mut Vec<Value>,
    ) -> Result<(), Stop> {
        let Some((first, rest)) = enumerators.split_first() else {
            results.push(self.evaluate(body, scope)?);
            return Ok(());
        };
        match first {
            Enumerator::Guard(guard) => match self.evaluate(guard, scope)? {
                Value::Bool(true) => self.run_for(rest, body, scope, results),
                Value::Bool(false) => Ok(()),
                _ => Err(Self::not_understood("a condition that is no Boolean")),
            },
            Enumerator::Definition(pattern, value) => {
                let own = Scope::new(Some(scope.clone()));
                let value = self.evaluate(value, scope)?;
                self.matches(pattern, &value, &own)?;
                self.run_for(rest, body, &own, results)
            }
            Enumerator::Generator(pattern, source) => {
                let items = self.items(&self.evaluate(source, scope)?)?;
                for item in items.iter() {
                    let own = Scope::new(Some(scope.clone()));
                    if self.matches(pattern, item, &own)? {
                        self.run_for(rest, body, &own, results)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// The items of a list.
    pub(super) fn items(&self, value: &Value) -> Result<Rc<Vec<Value>>, Stop> {
        match value {
            Value::List(items) => Ok(items.clone()),
            Value::Option(None) | Value::Anything => Ok(Rc::default()),
            Value::Option(Some(one)) => Ok(Rc::new(vec![(**one).clone()])),
            Value::Json(json) => match &**json {
                serde_json::Value::Array(items) => {
                    Ok(Rc::new(items.iter().map(|item| Value::json(item.clone())).collect()))
                }
                _ => Err(Self::not_understood("the items of no list")),
            },
            _ => Err(Self::not_understood("the items of no list")),
        }
    }
}

/// A value has a type; none, if that is not known.
fn is_of_type(value: &Value, type_name: &str) -> Option<bool> {
    match (value, type_name) {
        (Value::Host(Host::Named(name)), "RelationalConnectorTag") => {
            Some(&**name != "MongoConnectorTag")
        }
        (Value::Host(Host::Named(name)), _) => Some(&**name == type_name),
        (Value::Text(_), "String") | (Value::Int(_), "Int" | "Long") => Some(true),
        _ => None,
    }
}
