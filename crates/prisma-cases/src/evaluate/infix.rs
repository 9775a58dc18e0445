//! Operators, and the words with which ScalaTest declares tests and assertions.

use std::rc::Rc;

use super::calls::Arguments;
use super::data_models::{UNKNOWN_SEQUENCE, has_unknown_sequence};
use super::{Evaluated, Program};
use crate::scala::Expression;
use crate::value::{Host, Matcher, Scope, Test, Value, equal};

impl Program<'_> {
    pub(super) fn infix(
        &self,
        left: &Expression,
        operator: &str,
        right: &Expression,
        scope: &Scope,
    ) -> Evaluated {
        match operator {
            "in" | "ignore" => return self.declare(left, right, operator == "ignore", scope),
            "&&" | "||" => {
                let left = self.evaluate(left, scope)?;
                return match left {
                    Value::Bool(value) if value == (operator == "||") => Ok(left),
                    Value::Bool(_) => self.evaluate(right, scope),
                    Value::Anything => Ok(left),
                    _ => Err(Self::not_understood(format!("{operator} of no Boolean"))),
                };
            }
            "thrownBy" => return self.thrown_by(right, scope),
            _ => {}
        }
        // `an [Exception] should be thrownBy …` has no value before its last word.
        let left_value = self.evaluate(left, scope)?;
        if matches!(left_value, Value::Host(Host::Accepted)) && operator.starts_with("should") {
            return self.assert_deployed(&Host::Accepted, &Matcher::Empty);
        }
        match operator {
            "should" | "must" | "can" | "when" | "which" | "that" => {
                if let (Value::Text(subject), Expression::Block(_)) = (&left_value, right) {
                    self.subjects.borrow_mut().push(format!("{subject} {operator}"));
                    let result = self.evaluate(right, scope);
                    self.subjects.borrow_mut().pop();
                    return result;
                }
                self.assert_infix(&left_value, right, false, scope)
            }
            "shouldNot" => self.assert_infix(&left_value, right, true, scope),
            "shouldBe" | "shouldEqual" | "mustBe" => {
                let matcher = self.matcher(self.evaluate(right, scope)?);
                self.assert_matches(&left_value, &matcher, false)
            }
            "taggedAs" => self.tagged(&left_value, right, scope),
            _ => {
                let right = self.evaluate(right, scope)?;
                self.operator(&left_value, operator, right)
            }
        }
    }

    fn thrown_by(&self, body: &Expression, scope: &Scope) -> Evaluated {
        match self.evaluate(body, scope) {
            Err(super::Stop::Failed(_)) => self.assert(true, String::new),
            Ok(Value::Anything) => Ok(Value::Unit),
            Ok(_) if self.service.is_none() => Ok(Value::Unit),
            Ok(_) => Err(self.failed("an error was expected".into())),
            Err(other) => Err(other),
        }
    }

    fn assert_infix(
        &self,
        value: &Value,
        right: &Expression,
        is_negated: bool,
        scope: &Scope,
    ) -> Evaluated {
        if let Expression::Name(word) = right
            && ["be", "have", "not", "contain"].contains(&&**word)
            && scope.find(word).is_none()
        {
            let is_negated = is_negated != (word == "not");
            return Ok(Value::Asserted(Rc::new(value.clone()), is_negated));
        }
        match (value, self.evaluate(right, scope)?) {
            (Value::Text(subject), Value::Text(name)) if self.is_declaring.get() => {
                Ok(Value::Title(Rc::new((format!("{subject} should {name}"), Vec::new()))))
            }
            (Value::Host(Host::Library(name)), right) if &**name == "it" => {
                Ok(Value::Title(Rc::new((format!("should {}", right.to_text()), Vec::new()))))
            }
            (value, right) => self.assert_matches(value, &self.matcher(right), is_negated),
        }
    }

    fn matcher(&self, value: Value) -> Matcher {
        match value {
            Value::Matcher(matcher) => (*matcher).clone(),
            other => Matcher::Equal(other),
        }
    }

    pub(super) fn assert_matches(
        &self,
        value: &Value,
        matcher: &Matcher,
        is_negated: bool,
    ) -> Evaluated {
        if let Value::Host(
            of @ (Host::Deployment(_) | Host::Refusal(_) | Host::RefusalPart(_) | Host::Accepted),
        ) = value
        {
            return self.assert_deployed(of, matcher);
        }
        if has_unknown_sequence(value) {
            self.left_out.borrow_mut().push(UNKNOWN_SEQUENCE.into());
        }
        let holds = matcher.holds(value).map_err(Self::not_understood)?;
        if let (Value::Text(text), Matcher::Include(part), false) = (value, matcher, holds)
            && !is_negated
            && text.contains("\"errors\":")
        {
            self.other_error(format!("  expected errors with {part}"));
            return Ok(Value::Unit);
        }
        let not = if is_negated { "not " } else { "" };
        self.assert(holds || matches!(value, Value::Anything), || {
            format!("  expected {not}{}\n  received {}", matcher.describe(), value.to_text())
        })
        .and_then(|unit| {
            if is_negated && holds && !matches!(value, Value::Anything) {
                return Err(self.failed(format!(
                    "  expected not {}\n  received {}",
                    matcher.describe(),
                    value.to_text()
                )));
            }
            Ok(unit)
        })
        .or_else(|stop| if is_negated && !holds { Ok(Value::Unit) } else { Err(stop) })
    }

    fn tagged(&self, title: &Value, right: &Expression, scope: &Scope) -> Evaluated {
        let (name, mut tags) = match title {
            Value::Title(title) => (**title).clone(),
            Value::Text(name) => (name.to_string(), Vec::new()),
            _ => return Err(Self::not_understood("tags of no test")),
        };
        let items = match right {
            Expression::Tuple(items) => items.iter().collect(),
            one => vec![one],
        };
        for item in items {
            match self.evaluate(item, scope)? {
                Value::Host(Host::Named(tag)) => tags.push(tag.to_string()),
                _ => return Err(Self::not_understood("an unknown tag")),
            }
        }
        Ok(Value::Title(Rc::new((name, tags))))
    }

    /// Declares a test; its body runs later.
    fn declare(
        &self,
        title: &Expression,
        body: &Expression,
        is_ignored: bool,
        scope: &Scope,
    ) -> Evaluated {
        let (name, tags) = match self.evaluate(title, scope)? {
            Value::Title(title) => (*title).clone(),
            Value::Text(name) => (name.to_string(), Vec::new()),
            _ => return Err(Self::not_understood("a test without a name")),
        };
        let mut full = self.subjects.borrow().join(" ");
        if !full.is_empty() {
            full.push(' ');
        }
        full.push_str(&name);
        self.tests.borrow_mut().push(Test {
            name: full,
            tags,
            is_ignored,
            body: body.clone(),
            scope: scope.clone(),
        });
        Ok(Value::Unit)
    }

    fn operator(&self, left: &Value, operator: &str, right: Value) -> Evaluated {
        match (left, operator, &right) {
            (_, "==", _) => Ok(Value::Bool(equal(left, &right))),
            (_, "!=", _) => Ok(Value::Bool(!equal(left, &right))),
            (_, "->", _) => Ok(Value::Tuple(Rc::new(vec![left.clone(), right]))),
            (Value::Asserted(value, is_negated), ..) => {
                self.assert_word(value, operator, right, *is_negated)
            }
            (Value::Text(text), "+", _) => Ok(Value::text(format!("{text}{}", right.to_text()))),
            (_, "+", Value::Text(text)) => Ok(Value::text(format!("{}{text}", left.to_text()))),
            (Value::Text(text), "*", Value::Int(count)) => {
                Ok(Value::text(text.repeat(usize::try_from(*count).unwrap_or(0))))
            }
            (Value::Int(left), _, Value::Int(right)) => Self::int_operator(*left, operator, *right),
            (Value::Float(_) | Value::Int(_), _, Value::Float(_) | Value::Int(_)) => {
                Self::float_operator(left, operator, &right)
            }
            (_, "+:", Value::List(items)) => {
                let first = std::iter::once(left.clone());
                Ok(Value::list(first.chain(items.iter().cloned()).collect()))
            }
            _ => {
                let arguments = Arguments { positional: vec![right], named: Vec::new() };
                self.method_with(left, operator, arguments)
            }
        }
    }

    /// `value should have length 3`, `value should not be null`, and so on.
    fn assert_word(
        &self,
        value: &Rc<Value>,
        word: &str,
        right: Value,
        is_negated: bool,
    ) -> Evaluated {
        let matcher = match word {
            "be" | "equal" => self.matcher(right),
            "include" => Matcher::Include(right.to_text()),
            "startWith" => Matcher::StartWith(right.to_text()),
            "contain" => Matcher::Contain(right),
            "theSameElementsAs" => Matcher::SameElements(right),
            "length" | "size" => match right {
                Value::Int(size) => Matcher::Size(size),
                _ => return Err(Self::not_understood("a size that is no number")),
            },
            _ => return Err(Self::not_understood(format!("the word {word}"))),
        };
        self.assert_matches(value, &matcher, is_negated)
    }

    fn int_operator(left: i64, operator: &str, right: i64) -> Evaluated {
        let checked = |value: Option<i64>| {
            value.map(Value::Int).ok_or_else(|| Self::not_understood("a number that is too large"))
        };
        match operator {
            "+" => checked(left.checked_add(right)),
            "-" => checked(left.checked_sub(right)),
            "*" => checked(left.checked_mul(right)),
            "/" => checked(left.checked_div(right)),
            "%" => checked(left.checked_rem(right)),
            "<" => Ok(Value::Bool(left < right)),
            ">" => Ok(Value::Bool(left > right)),
            "<=" => Ok(Value::Bool(left <= right)),
            ">=" => Ok(Value::Bool(left >= right)),
            "to" => Ok(Value::list((left..=right).map(Value::Int).collect())),
            "until" => Ok(Value::list((left..right).map(Value::Int).collect())),
            _ => Err(Self::not_understood(format!("{operator} of numbers"))),
        }
    }

    fn float_operator(left: &Value, operator: &str, right: &Value) -> Evaluated {
        let float = |value: &Value| match value {
            Value::Int(value) => *value as f64,
            Value::Float(value) => *value,
            _ => f64::NAN,
        };
        let (left, right) = (float(left), float(right));
        Ok(match operator {
            "+" => Value::Float(left + right),
            "-" => Value::Float(left - right),
            "*" => Value::Float(left * right),
            "/" => Value::Float(left / right),
            "<" => Value::Bool(left < right),
            ">" => Value::Bool(left > right),
            "<=" => Value::Bool(left <= right),
            ">=" => Value::Bool(left >= right),
            _ => return Err(Self::not_understood(format!("{operator} of numbers"))),
        })
    }
}
