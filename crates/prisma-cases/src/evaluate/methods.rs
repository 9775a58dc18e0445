//! Methods of values.

use std::rc::Rc;

use serde_json::Value as Json;

use super::calls::Arguments;
use super::{Evaluated, Program, Stop};
use crate::service::Database;
use crate::value::{Binding, Closure, Host, Place, Value, equal};

impl Program<'_> {
    /// A method without arguments, or a field.
    pub(super) fn method(
        &self,
        value: &Value,
        name: &str,
        positional: Vec<Value>,
        is_call: bool,
    ) -> Evaluated {
        let arguments = Arguments { positional, named: Vec::new() };
        if !is_call && takes_arguments(value, name) {
            return Ok(Value::Closure(Rc::new(Closure::Method(value.clone(), name.to_owned()))));
        }
        self.method_with(value, name, arguments)
    }

    pub(super) fn method_with(&self, value: &Value, name: &str, arguments: Arguments) -> Evaluated {
        if let Some(result) = self.assertion_method(value, name, &arguments) {
            return result;
        }
        match value {
            // What would have happened is not known, but that it is understood.
            Value::Anything => {
                for argument in &arguments.positional {
                    if let Value::Closure(_) = argument {
                        let one =
                            Arguments { positional: vec![Value::Anything], named: Vec::new() };
                        if let Err(Stop::NotUnderstood(reason)) = self.apply(argument, one) {
                            return Err(Stop::NotUnderstood(reason));
                        }
                    }
                }
                Ok(Value::Anything)
            }
            Value::Text(text) => self.text_method(text, name, &arguments),
            Value::Json(json) => self.json_method(json, name, &arguments),
            Value::List(items) => self.list_method(items, name, &arguments),
            Value::Option(option) => self.option_method(option.as_ref(), name, &arguments),
            Value::Tuple(items) => match name.strip_prefix('_').and_then(|n| n.parse().ok()) {
                Some(place @ 1..) if place <= items.len() => Ok(items[place - 1].clone()),
                _ => Self::any_method(value, name),
            },
            Value::Int(number) => match (name, arguments.positional.first()) {
                ("to", Some(Value::Int(end))) => {
                    Ok(Value::list((*number..=*end).map(Value::Int).collect()))
                }
                ("until", Some(Value::Int(end))) => {
                    Ok(Value::list((*number..*end).map(Value::Int).collect()))
                }
                ("toInt" | "toLong", None) => Ok(Value::Int(*number)),
                ("toDouble" | "toFloat", None) => Ok(Value::Float(*number as f64)),
                _ => Self::any_method(value, name),
            },
            Value::Instance(instance) => match instance.scope.find_own(name) {
                Some(Binding::Function(function, overridden)) => self.call_named(
                    &Binding::Function(function, overridden),
                    arguments,
                    &instance.scope,
                ),
                Some(binding) => {
                    instance.scope.bind(name, binding);
                    let found = self.name(name, &instance.scope)?;
                    if arguments.positional.is_empty() {
                        Ok(found)
                    } else {
                        self.apply(&found, arguments)
                    }
                }
                None => Self::any_method(value, name),
            },
            Value::DataModels(models) => self.models_method(models, name, &arguments),
            Value::Record(record) => self.record_method(record, name, &arguments),
            Value::Project(project) => match name {
                "id" => Ok(Value::text("default@default")),
                "dbName" => Ok(Value::text(match self.database {
                    Database::Postgres => "public",
                    Database::Sqlite => "main",
                })),
                "schema" => Ok(Value::Host(Host::Schema(project.clone()))),
                _ => Self::any_method(value, name),
            },
            Value::Closure(_) if name == "apply" => self.apply(value, arguments),
            Value::Host(host) => self.host_method(host, name, &arguments),
            _ => Self::any_method(value, name),
        }
    }

    fn call_named(
        &self,
        binding: &Binding,
        arguments: Arguments,
        scope: &crate::value::Scope,
    ) -> Evaluated {
        let Binding::Function(function, _) = binding else {
            return Err(Self::not_understood("a call of no function"));
        };
        let closure = Closure::Function(function.clone(), scope.clone());
        self.apply(&Value::Closure(Rc::new(closure)), arguments)
    }

    /// `value.should(be(…))`, `value.await`, and `value.toString`.
    fn assertion_method(
        &self,
        value: &Value,
        name: &str,
        arguments: &Arguments,
    ) -> Option<Evaluated> {
        match (name, arguments.positional.first()) {
            ("should" | "must", Some(Value::Matcher(matcher))) => {
                Some(self.assert_matches(value, matcher, false))
            }
            ("toString", None) if matches!(value, Value::Host(Host::Deployment(_))) => {
                Some(Ok(value.clone()))
            }
            ("await" | "toFuture", _) if !matches!(value, Value::Host(_)) => {
                Some(Ok(value.clone()))
            }
            ("toString", None)
                if !matches!(value, Value::Anything | Value::Host(_) | Value::Project(_)) =>
            {
                Some(Ok(Value::text(value.to_text())))
            }
            _ => None,
        }
    }

    fn any_method(value: &Value, name: &str) -> Evaluated {
        let kind = match value {
            Value::Text(_) => "a text",
            Value::Json(_) => "JSON",
            Value::List(_) => "a list",
            Value::Int(_) | Value::Float(_) => "a number",
            Value::Project(_) => "a project",
            Value::Option(_) => "an option",
            Value::Instance(instance) => &instance.template.name,
            _ => "a value",
        };
        Err(Self::not_understood(format!("the method {name} of {kind}")))
    }

    fn text_method(&self, text: &Rc<str>, name: &str, arguments: &Arguments) -> Evaluated {
        let value = Value::Text(text.clone());
        let first = arguments.positional.first();
        let second = arguments.positional.get(1);
        Ok(match (name, first, second) {
            ("stripMargin", ..) => Value::text(strip_margin(text)),
            ("mkString", None, _) => value,
            ("concat", Some(other), _) => Value::text(format!("{text}{}", other.to_text())),
            ("trim", ..) => Value::text(text.trim()),
            ("parseJson", ..) => Value::json(self.parse_json(text)?),
            ("length" | "size", ..) => Value::Int(text.chars().count() as i64),
            ("toInt" | "toLong", ..) => {
                Value::Int(text.parse().map_err(|_| self.failed(format!("{text} is no number")))?)
            }
            ("toUpperCase", ..) => Value::text(text.to_uppercase()),
            ("toLowerCase", ..) => Value::text(text.to_lowercase()),
            ("isEmpty", ..) => Value::Bool(text.is_empty()),
            ("nonEmpty", ..) => Value::Bool(!text.is_empty()),
            ("contains", Some(part), _) => Value::Bool(text.contains(&*part.to_text())),
            ("startsWith", Some(part), _) => Value::Bool(text.starts_with(&*part.to_text())),
            ("endsWith", Some(part), _) => Value::Bool(text.ends_with(&*part.to_text())),
            ("replace", Some(from), Some(to)) => {
                Value::text(text.replace(&*from.to_text(), &to.to_text()))
            }
            ("split", Some(by), _) => {
                let by = by.to_text();
                Value::list(text.split(&*by).map(Value::text).collect())
            }
            ("take", Some(Value::Int(count)), _) => {
                let count = usize::try_from(*count).unwrap_or(0);
                Value::text(text.chars().take(count).collect::<String>())
            }
            ("++", Some(other), _) => Value::text(format!("{text}{}", other.to_text())),
            ("*", Some(Value::Int(count)), _) => {
                Value::text(text.repeat(usize::try_from(*count).unwrap_or(0)))
            }
            ("pathAsString" | "pathAsSeq" | "pathAsJsValue", ..) => {
                return self.json_method(&Rc::new(self.parse_json(text)?), name, arguments);
            }
            _ => return Self::any_method(&value, name),
        })
    }

    pub(super) fn parse_json(&self, text: &str) -> Result<Json, Stop> {
        serde_json::from_str(text).map_err(|error| self.failed(format!("no JSON: {error}: {text}")))
    }

    fn json_method(&self, json: &Rc<Json>, name: &str, arguments: &Arguments) -> Evaluated {
        let value = Value::Json(json.clone());
        if let Some(kind) = name.strip_prefix("pathAs")
            && let Some(Value::Text(path)) = arguments.positional.first()
        {
            let found = path_of(json, path);
            let found = found.ok_or_else(|| {
                self.failed(format!("  expected something at {path}\n  received {json}"))
            })?;
            return self.json_as(found, kind, path);
        }
        match (name, arguments.positional.first()) {
            ("pathExists", Some(Value::Text(path))) => {
                Ok(Value::Bool(path_of(json, path).is_some()))
            }
            ("getFirstErrorMessage", None) => {
                let found = path_of(json, "errors.[0].message").cloned();
                found
                    .map(|found| Value::text(found.as_str().unwrap_or_default()))
                    .ok_or_else(|| self.failed(format!("  expected an error\n  received {json}")))
            }
            ("value" | "as" | "asJsObject" | "get", None) => Ok(match &**json {
                Json::String(text) => Value::text(&**text),
                Json::Array(items) => Value::list(items.iter().cloned().map(Value::json).collect()),
                _ => value,
            }),
            ("\\", Some(Value::Text(key))) => match json.get(&**key) {
                Some(found) => Ok(Value::json(found.clone())),
                None => Err(self.failed(format!("  expected {key}\n  received {json}"))),
            },
            ("parseJson", None) => Ok(value),
            ("copy", None) => {
                let mut copy = (**json).clone();
                for (key, value) in &arguments.named {
                    match copy.get_mut(key) {
                        Some(member) => *member = Self::to_json(value)?,
                        None => return Self::any_method(&value.clone(), name),
                    }
                }
                Ok(Value::json(copy))
            }
            (member, None) if json.get(member).is_some() => Ok(match &json[member] {
                Json::Bool(value) => Value::Bool(*value),
                Json::Number(number) if number.is_i64() => {
                    Value::Int(number.as_i64().unwrap_or_default())
                }
                Json::String(text) => Value::text(&**text),
                other => Value::json(other.clone()),
            }),
            _ if json.is_array() => {
                let items = self.items(&value)?;
                self.list_method(&items, name, arguments)
            }
            _ => Self::any_method(&value, name),
        }
    }

    fn json_as(&self, json: &Json, kind: &str, path: &str) -> Evaluated {
        let converted = match kind {
            "" | "JsValue" | "JsObject" | "JsArray" => Some(Value::json(json.clone())),
            "String" => json.as_str().map(Value::text),
            "Long" | "Int" => json.as_i64().map(Value::Int),
            "Float" | "Double" => json.as_f64().map(Value::Float),
            "Bool" => json.as_bool().map(Value::Bool),
            "Seq" | "SeqOfType" => json.as_array().map(|items| {
                Value::list(items.iter().map(|item| Value::json(item.clone())).collect())
            }),
            _ => return Err(Self::not_understood(format!("the method pathAs{kind}"))),
        };
        converted
            .ok_or_else(|| self.failed(format!("  expected {kind} at {path}\n  received {json}")))
    }

    fn option_method(
        &self,
        option: Option<&Rc<Value>>,
        name: &str,
        arguments: &Arguments,
    ) -> Evaluated {
        match (name, option) {
            ("isDefined" | "nonEmpty", _) => Ok(Value::Bool(option.is_some())),
            ("isEmpty", _) => Ok(Value::Bool(option.is_none())),
            ("get", Some(value)) => Ok((**value).clone()),
            ("get", None) => Err(self.failed("None has no value".into())),
            ("orNull", Some(value)) => Ok((**value).clone()),
            ("orNull", None) => Ok(Value::Null),
            ("getOrElse", Some(value)) => Ok((**value).clone()),
            ("getOrElse", None) => Ok(arguments.positional.first().cloned().unwrap_or(Value::Unit)),
            ("map", Some(value)) => {
                let function = arguments.positional.first().cloned().unwrap_or(Value::Unit);
                let one = Arguments { positional: vec![(**value).clone()], named: Vec::new() };
                Ok(Value::Option(Some(Rc::new(self.apply(&function, one)?))))
            }
            ("map" | "foreach", None) => Ok(Value::Option(None)),
            _ => Self::any_method(&Value::Option(None), name),
        }
    }

    fn list_method(&self, items: &Rc<Vec<Value>>, name: &str, arguments: &Arguments) -> Evaluated {
        let first = arguments.positional.first();
        let run = |item: &Value| match first {
            Some(function) => {
                let one = Arguments { positional: vec![item.clone()], named: Vec::new() };
                self.apply(function, one)
            }
            None => Err(Self::not_understood(format!("{name} without a function"))),
        };
        let is_true = |item: &Value| {
            run(item).and_then(|value| match value {
                Value::Bool(value) => Ok(value),
                _ => Err(Self::not_understood(format!("{name} by no Boolean"))),
            })
        };
        let count = match first {
            Some(Value::Int(count)) => Some(usize::try_from(*count).unwrap_or(0)),
            _ => None,
        };
        let value = Value::List(items.clone());
        Ok(match (name, count) {
            ("toVector" | "toList" | "toSeq" | "toSet" | "toArray" | "value" | "par", _) => value,
            ("length" | "size", _) => Value::Int(items.len() as i64),
            ("isEmpty", _) => Value::Bool(items.is_empty()),
            ("nonEmpty", _) => Value::Bool(!items.is_empty()),
            ("head" | "last", _) => {
                let found = if name == "head" { items.first() } else { items.last() };
                found.cloned().ok_or_else(|| self.failed(format!("{name} of an empty list")))?
            }
            ("headOption", _) => Value::Option(items.first().cloned().map(Rc::new)),
            ("tail", _) => Value::list(items.iter().skip(1).cloned().collect()),
            ("reverse", _) => Value::list(items.iter().rev().cloned().collect()),
            ("apply", Some(idx)) => items
                .get(idx)
                .cloned()
                .ok_or_else(|| self.failed(format!("no item {idx} of {}", value.to_text())))?,
            ("take", Some(count)) => Value::list(items.iter().take(count).cloned().collect()),
            ("drop", Some(count)) => Value::list(items.iter().skip(count).cloned().collect()),
            ("grouped", Some(count @ 1..)) => {
                Value::list(items.chunks(count).map(|chunk| Value::list(chunk.to_vec())).collect())
            }
            ("zipWithIndex", _) => {
                let pairs = items.iter().zip(0..);
                let pair = |(item, idx): (&Value, i64)| {
                    Value::Tuple(Rc::new(vec![item.clone(), Value::Int(idx)]))
                };
                Value::list(pairs.map(pair).collect())
            }
            ("mkString", _) => Value::text(made_text(items, arguments)),
            ("foreach", _) => {
                for item in items.iter() {
                    run(item)?;
                }
                Value::Unit
            }
            // Requests at the same time come one after another.
            ("traverse", _) => {
                self.left_out.borrow_mut().push("requests at the same time".into());
                Value::list(items.iter().map(run).collect::<Result<_, _>>()?)
            }
            ("find", _) => {
                let mut found = None;
                for item in items.iter() {
                    if found.is_none() && is_true(item)? {
                        found = Some(Rc::new(item.clone()));
                    }
                }
                Value::Option(found)
            }
            ("map", _) => Value::list(items.iter().map(run).collect::<Result<_, _>>()?),
            ("flatMap", _) => {
                let mut all = Vec::new();
                for item in items.iter() {
                    all.extend(self.items(&run(item)?)?.iter().cloned());
                }
                Value::list(all)
            }
            ("filter" | "filterNot", _) => {
                let mut all = Vec::new();
                for item in items.iter() {
                    if is_true(item)? == (name == "filter") {
                        all.push(item.clone());
                    }
                }
                Value::list(all)
            }
            ("exists", _) => Value::Bool(
                items.iter().map(is_true).collect::<Result<Vec<_>, _>>()?.contains(&true),
            ),
            ("forall", _) => Value::Bool(
                !items.iter().map(is_true).collect::<Result<Vec<_>, _>>()?.contains(&false),
            ),
            ("contains", _) => {
                Value::Bool(first.is_some_and(|one| items.iter().any(|item| equal(item, one))))
            }
            ("count", _) => {
                let counted = items.iter().map(is_true).collect::<Result<Vec<_>, _>>()?;
                Value::Int(counted.into_iter().filter(|is_true| *is_true).count() as i64)
            }
            ("++" | ":+", _) => {
                let mut all = items.to_vec();
                match first {
                    Some(other) if name == "++" => all.extend(self.items(other)?.iter().cloned()),
                    Some(one) => all.push(one.clone()),
                    None => {}
                }
                Value::list(all)
            }
            _ => return Self::any_method(&value, name),
        })
    }

    /// `testDataModels.test { dataModel => … }` and its variants.
    fn models_method(
        &self,
        models: &Rc<Vec<Value>>,
        name: &str,
        arguments: &Arguments,
    ) -> Evaluated {
        let is_project = match name {
            "testV11" => true,
            "test" => false,
            "testEach" => return self.test_each(models, arguments),
            _ => return Self::any_method(&Value::DataModels(models.clone()), name),
        };
        match arguments.positional.first() {
            Some(Value::Int(idx)) => {
                let idx = usize::try_from(*idx).unwrap_or(usize::MAX);
                let one: Vec<_> = models.get(idx).cloned().into_iter().collect();
                // The function comes in another list of arguments.
                let closure = Closure::Method(Value::DataModels(Rc::new(one)), name.to_owned());
                Ok(Value::Closure(Rc::new(closure)))
            }
            Some(function) => {
                for model in models.iter() {
                    let argument = if is_project {
                        let project = self.project(&model.to_text(), Place::Own);
                        self.set_up(&project)?;
                        Value::Project(project)
                    } else {
                        model.clone()
                    };
                    let one = Arguments { positional: vec![argument], named: Vec::new() };
                    self.apply(function, one)?;
                }
                Ok(Value::Unit)
            }
            None => Err(Self::not_understood("test without a function")),
        }
    }

    fn test_each(&self, models: &Rc<Vec<Value>>, arguments: &Arguments) -> Evaluated {
        let Some(function) = arguments.positional.first() else {
            return Err(Self::not_understood("testEach without a function"));
        };
        for (idx, model) in models.iter().enumerate() {
            let positional = vec![Value::text(format!(" sql {idx}")), model.clone()];
            self.apply(function, Arguments { positional, named: Vec::new() })?;
        }
        Ok(Value::Unit)
    }
}

/// A method that is named without arguments, to be called with them later.
fn takes_arguments(value: &Value, name: &str) -> bool {
    match value {
        Value::Host(Host::Library(library)) => {
            matches!((&**library, name), ("Character", "toChars"))
        }
        Value::DataModels(_) => matches!(name, "test" | "testV11"),
        _ => false,
    }
}

fn made_text(items: &[Value], arguments: &Arguments) -> String {
    let text = |idx: usize| arguments.positional.get(idx).map(Value::to_text).unwrap_or_default();
    let texts: Vec<_> = items.iter().map(Value::to_text).collect();
    match arguments.positional.len() {
        3 => format!("{}{}{}", text(0), texts.join(&text(1)), text(2)),
        _ => texts.join(&text(0)),
    }
}

/// The value at a path, `data.users.[0].id`.
pub(crate) fn path_of<'j>(json: &'j Json, path: &str) -> Option<&'j Json> {
    path.split('.').try_fold(json, |json, part| {
        let idx = part.trim_start_matches('[').trim_end_matches(']').parse::<usize>();
        match idx {
            Ok(idx) => json.get(idx),
            Err(_) => json.get(part),
        }
    })
}

/// Scala's `stripMargin`: what stands before a line's first `|` is removed, if it is space.
pub(crate) fn strip_margin(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let rest = line.trim_start_matches(|c: char| c <= ' ');
        rest.strip_prefix('|').unwrap_or(line)
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_have_names_and_places() {
        let json = json!({ "data": { "users": [{ "id": "a" }] } });
        assert_eq!(path_of(&json, "data.users.[0].id"), Some(&json!("a")));
        assert_eq!(path_of(&json, "data.users.[1].id"), None);
        assert_eq!(path_of(&json, "data.user"), None);
    }

    #[test]
    fn margins_are_removed_only_before_a_bar() {
        assert_eq!(strip_margin("a\n  |b | c\n  d"), "a\nb | c\n  d");
    }
}
