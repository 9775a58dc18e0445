//! Calls of functions, and instances of classes.

use std::rc::Rc;

use super::data_models::expected;
use super::tables::record;
use super::{Evaluated, Program, Stop, host};
use crate::scala::{Argument, Expression, Function, Statement, Template, TemplateKind};
use crate::service::Database;
use crate::value::{Binding, Closure, Host, Instance, Matcher, Scope, Value, equal};

/// Evaluated arguments.
#[derive(Debug, Default, Clone)]
pub(super) struct Arguments {
    pub(super) positional: Vec<Value>,
    pub(super) named: Vec<(String, Value)>,
}

impl Arguments {
    /// The argument of a name, or at a place.
    pub(super) fn get(&self, name: &str, idx: usize) -> Option<Value> {
        let named = self.named.iter().find(|(own, _)| own == name).map(|(_, value)| value);
        named.or_else(|| self.positional.get(idx)).cloned()
    }
}

/// The name under which a function finds those that it overrides.
const OVERRIDDEN: &str = "super of ";

impl Program<'_> {
    pub(super) fn call(
        &self,
        callee: &Expression,
        arguments: &[Argument],
        scope: &Scope,
    ) -> Evaluated {
        match callee {
            Expression::Name(name) => match scope.find(name) {
                Some((Binding::Function(function, overridden), owner))
                    if !function.parameters.is_empty() || arguments.is_empty() =>
                {
                    let arguments = self.arguments(arguments, scope)?;
                    self.call_with(&function, &overridden, arguments, &owner)
                }
                Some((Binding::Template(template), owner)) => {
                    let arguments = self.arguments(arguments, scope)?;
                    self.apply_template(&template, arguments, &owner)
                }
                Some((binding, owner)) => {
                    let value = self.bound(name, binding, &owner)?;
                    let arguments = self.arguments(arguments, scope)?;
                    self.apply(&value, arguments)
                }
                None => self.call_library(name, arguments, scope),
            },
            Expression::Member(of, name) => {
                if let Expression::Name(own) = &**of {
                    match &**own {
                        "this" => {
                            return self.call(&Expression::Name(name.clone()), arguments, scope);
                        }
                        "super" => return self.call_overridden(name, scope),
                        _ => {}
                    }
                }
                let value = self.evaluate(of, scope)?;
                let arguments = self.arguments(arguments, scope)?;
                self.method_with(&value, name, arguments)
            }
            other => {
                let value = self.evaluate(other, scope)?;
                let arguments = self.arguments(arguments, scope)?;
                self.apply(&value, arguments)
            }
        }
    }

    pub(super) fn arguments(
        &self,
        arguments: &[Argument],
        scope: &Scope,
    ) -> Result<Arguments, Stop> {
        let mut evaluated = Arguments::default();
        for (idx, argument) in arguments.iter().enumerate() {
            let value = self.evaluate(&argument.value, scope)?;
            match &argument.name {
                Some(name) => evaluated.named.push((name.clone(), value)),
                None if argument.is_spread => {
                    evaluated.positional.extend(self.items(&value)?.iter().cloned());
                }
                None => {
                    // An argument without a name may follow one with its name at its place.
                    while evaluated.positional.len() < idx && !evaluated.named.is_empty() {
                        evaluated.positional.push(Value::Unit);
                    }
                    evaluated.positional.push(value);
                }
            }
        }
        Ok(evaluated)
    }

    pub(crate) fn call_function(
        &self,
        function: &Function,
        overridden: &[Rc<Function>],
        positional: Vec<Value>,
        owner: &Scope,
    ) -> Evaluated {
        let arguments = Arguments { positional, named: Vec::new() };
        self.call_with(function, overridden, arguments, owner)
    }

    fn call_with(
        &self,
        function: &Function,
        overridden: &[Rc<Function>],
        arguments: Arguments,
        owner: &Scope,
    ) -> Evaluated {
        let scope = Scope::new(Some(owner.clone()));
        // Bound also if there is none: the scope of an overriding function may be outside.
        let next = match overridden.split_first() {
            Some((next, rest)) => Binding::Function(next.clone(), Rc::new(rest.to_vec())),
            None => Binding::Value(Value::Unit),
        };
        scope.bind(&format!("{OVERRIDDEN}{}", function.name), next);
        self.bind_parameters(&function.parameters, arguments, &scope)?;
        let Some(body) = &function.body else {
            return Err(Self::not_understood(format!("the abstract function {}", function.name)));
        };
        self.deeper(|| self.evaluate(body, &scope))
    }

    /// `super.name()`: nothing, if the framework's own is meant.
    pub(super) fn call_overridden(&self, name: &str, scope: &Scope) -> Evaluated {
        match scope.find(&format!("{OVERRIDDEN}{name}")) {
            Some((Binding::Function(function, overridden), owner)) => {
                self.call_function(&function, &overridden, Vec::new(), &owner)
            }
            _ => Ok(Value::Unit),
        }
    }

    fn bind_parameters(
        &self,
        parameters: &[crate::scala::Parameter],
        arguments: Arguments,
        scope: &Scope,
    ) -> Result<(), Stop> {
        let mut positional = arguments.positional.into_iter();
        for parameter in parameters {
            let named = arguments.named.iter().find(|(name, _)| *name == parameter.name);
            let value = if let Some((_, value)) = named {
                if matches!(positional.as_slice().first(), Some(Value::Unit)) {
                    positional.next();
                }
                value.clone()
            } else if parameter.is_repeated {
                Value::list(positional.by_ref().collect())
            } else if let Some(value) = positional.next() {
                value
            } else if let Some(default) = &parameter.default {
                self.evaluate(default, scope)?
            } else {
                return Err(Self::not_understood(format!("no argument {}", parameter.name)));
            };
            let value = match (value, &*parameter.type_name) {
                (Value::Int(value), "Float" | "Double") => Value::Float(value as f64),
                (other, _) => other,
            };
            scope.bind_value(&parameter.name, value);
        }
        if positional.next().is_some() {
            return Err(Self::not_understood("more arguments than parameters"));
        }
        Ok(())
    }

    /// Calls a value.
    pub(super) fn apply(&self, value: &Value, arguments: Arguments) -> Evaluated {
        match value {
            Value::Closure(closure) => match &**closure {
                Closure::Lambda(lambda, scope) => {
                    let (patterns, body) = &**lambda;
                    let own = Scope::new(Some(scope.clone()));
                    let mut values = arguments.positional;
                    if let [Value::Tuple(items)] = &values[..]
                        && patterns.len() > 1
                    {
                        values = items.to_vec();
                    }
                    if values.is_empty() && patterns.len() == 1 {
                        values.push(Value::Unit);
                    }
                    if values.len() != patterns.len() {
                        return Err(Self::not_understood("another number of arguments"));
                    }
                    for (pattern, value) in patterns.iter().zip(&values) {
                        if !self.matches(pattern, value, &own)? {
                            return Err(Self::not_understood("an argument of another form"));
                        }
                    }
                    self.deeper(|| self.evaluate(body, &own))
                }
                Closure::Cases(cases, scope) => {
                    let mut values = arguments.positional;
                    let value = if values.len() == 1 {
                        values.remove(0)
                    } else {
                        Value::Tuple(Rc::new(values))
                    };
                    self.deeper(|| self.run_cases(cases, &value, scope))
                }
                Closure::Function(function, scope) => {
                    self.call_with(function, &[], arguments, scope)
                }
                Closure::Method(of, name) => self.method_with(of, name, arguments),
            },
            Value::Host(Host::Library(name)) => self.call_library_value(name, arguments),
            other => self.method_with(other, "apply", arguments),
        }
    }

    /// Functions whose arguments are evaluated by the function itself, then all others.
    fn call_library(&self, name: &str, arguments: &[Argument], scope: &Scope) -> Evaluated {
        let runs = |runs: bool| match arguments {
            [body] if runs => self.evaluate(&body.value, scope),
            [_] => Ok(Value::Unit),
            _ => Err(Self::not_understood(format!("the arguments of {name}"))),
        };
        match name {
            "ifConnectorIsNotSQLite" => runs(self.database != Database::Sqlite),
            "ifConnectorIsSQLite" => runs(self.database == Database::Sqlite),
            "ifConnectorIsNotMongo" | "ifIsNotPrisma2" => runs(true),
            // Prisma's own tests have switched these assertions off.
            "ifConnectorIsActive" => runs(false),
            "intercept" | "assertThrows" => match runs(true) {
                Err(Stop::Failed(_)) => Ok(Value::Anything),
                Err(other) => Err(other),
                Ok(Value::Anything) => Ok(Value::Anything),
                Ok(_) => Err(self.failed("an error was expected".into())),
            },
            "println" | "print" => {
                self.arguments(arguments, scope)?;
                Ok(Value::Unit)
            }
            "table" | "name" | "field" => {
                Self::sql_function(name, &self.arguments(arguments, scope)?)
            }
            "withFixture" | "behavior" => Err(Self::not_understood(name)),
            _ => {
                let value = self.library_name(name);
                let value = match (value, self.corpus.template(name)) {
                    (Err(_), Some(template)) => {
                        let arguments = self.arguments(arguments, scope)?;
                        return self.apply_template(&template, arguments, &Scope::new(None));
                    }
                    (value, _) => value?,
                };
                let arguments = self.arguments(arguments, scope)?;
                self.apply(&value, arguments)
            }
        }
    }

    fn call_library_value(&self, name: &str, arguments: Arguments) -> Evaluated {
        let one = || arguments.positional.first().cloned().unwrap_or(Value::Unit);
        let matcher = |matcher: Matcher| Ok(Value::Matcher(Rc::new(matcher)));
        match name {
            "Vector" | "List" | "Seq" | "Array" => Ok(Value::list(arguments.positional)),
            "Set" => {
                let mut items: Vec<Value> = Vec::new();
                for item in arguments.positional {
                    if !items.iter().any(|one| equal(one, &item)) {
                        items.push(item);
                    }
                }
                Ok(Value::list(items))
            }
            "Option" => Ok(Value::Option(match one() {
                Value::Null => None,
                value => Some(Rc::new(value)),
            })),
            "Map" => Ok(Value::list(arguments.positional)),
            "Some" => Ok(Value::Option(Some(Rc::new(one())))),
            "Future" | "Try" => Ok(one()),
            "JsArray" => match one() {
                Value::Anything => Ok(Value::Anything),
                items => Ok(Value::json(Self::to_json(&items)?)),
            },
            // The requests of an export are case classes of Prisma's server.
            "Cursor" | "ExportRequest" | "ResultFormat" | "JsonBundle" => {
                let keys: &[&str] = match name {
                    "Cursor" => &["table", "row"],
                    "ExportRequest" => &["fileType", "cursor"],
                    "ResultFormat" => &["out", "cursor", "isFull"],
                    _ => &["jsonElements", "size"],
                };
                let mut members = serde_json::Map::new();
                if name == "Cursor" {
                    // Prisma writes two members that it does not use.
                    let is_end = matches!(arguments.get("table", 0), Some(Value::Int(-1)));
                    let unused = if is_end { -1 } else { 0 };
                    members.insert("field".into(), unused.into());
                    members.insert("array".into(), unused.into());
                }
                for (idx, key) in keys.iter().enumerate() {
                    let value = arguments.get(key, idx).unwrap_or(Value::Null);
                    members.insert((*key).into(), Self::to_json(&value)?);
                }
                Ok(Value::json(members.into()))
            }
            "JsString" => Ok(Value::json(one().to_text().into())),
            "escapeString" => Ok(Value::text(serde_json::Value::from(one().to_text()).to_string())),
            "dataResolver" => match one() {
                Value::Project(project) => Ok(host(Host::DataResolver(project))),
                _ => Err(Self::not_understood("the argument of dataResolver")),
            },
            "setup" => self.set_up_migrated(),
            "deploy" | "deployThatMustError" => self.migrate(name, &arguments),
            "ConnectorCapabilities" => Ok(Value::list(arguments.positional)),
            "ForeignKey" => {
                let part = |name: &str, idx| arguments.get(name, idx).unwrap_or(Value::Null);
                let fields = vec![("table", part("table", 0)), ("column", part("column", 1))];
                Ok(record("ForeignKey", fields))
            }
            "setupProject" => self.deploy_first(&arguments),
            "validate" | "validateThatMustError" => self.validate(name, &arguments),
            "executeOnInternalDatabase" => {
                self.with_service(|service| service.make_existing(&one().to_text()))?;
                Ok(Value::Unit)
            }
            "IdBehaviour"
            | "ScalarListBehaviour"
            | "Sequence"
            | "StringGCValue"
            | "EnumGCValue"
            | "IntGCValue"
            | "FloatGCValue"
            | "BooleanGCValue" => expected(name, &arguments)
                .ok_or_else(|| Self::not_understood(format!("the arguments of {name}"))),
            "throw" | "fail" => Err(self.failed(one().to_text())),
            "assert" => {
                let value = one();
                self.assert(matches!(value, Value::Bool(true) | Value::Anything), || {
                    "an assertion does not hold".into()
                })
            }
            "mustBeEqual" => {
                let (Some(actual), Some(expected)) =
                    (arguments.get("actual", 0), arguments.get("expected", 1))
                else {
                    return Err(Self::not_understood("the arguments of mustBeEqual"));
                };
                self.assert_matches(&actual, &Matcher::Equal(expected), false)
            }
            "be" | "equal" => match one() {
                Value::Matcher(inner) => Ok(Value::Matcher(inner)),
                value => matcher(Matcher::Equal(value)),
            },
            "include" => matcher(Matcher::Include(one().to_text())),
            "startWith" => matcher(Matcher::StartWith(one().to_text())),
            "endWith" => matcher(Matcher::EndWith(one().to_text())),
            "have" => match one() {
                Value::Matcher(inner) => Ok(Value::Matcher(inner)),
                _ => Err(Self::not_understood("the argument of have")),
            },
            "size" | "length" => match one() {
                Value::Int(size) => matcher(Matcher::Size(size)),
                _ => Err(Self::not_understood("a size that is no number")),
            },
            "contain" => matcher(Matcher::Contain(one())),
            "theSameElementsAs" => matcher(Matcher::SameElements(one())),
            "not" => match one() {
                Value::Matcher(inner) => matcher(Matcher::Not(inner)),
                _ => Err(Self::not_understood("the argument of not")),
            },
            _ if name.starts_with("contain") => self.schema_matcher(name, &arguments),
            _ => Err(Self::not_understood(format!("the function {name}"))),
        }
    }

    fn schema_matcher(&self, name: &str, arguments: &Arguments) -> Evaluated {
        let texts = |value: Option<Value>| match value {
            Some(value) => {
                Ok(self.items(&value)?.iter().map(Value::to_text).collect::<Vec<String>>())
            }
            None => Ok(Vec::new()),
        };
        let first = arguments.get("name", 0).map(|value| value.to_text()).unwrap_or_default();
        let interface = || arguments.get("interface", 1).map(|value| value.to_text());
        let (start, lines) = match name {
            "containQuery" | "containMutation" | "containSubscription" => {
                let root = &name["contain".len()..];
                // A name alone is of a field with arguments.
                let line = if first.contains('(') { first } else { format!("{first}(") };
                (format!("type {root} {{"), vec![line])
            }
            "containType" | "containInputType" => {
                let keyword = if name == "containType" { "type" } else { "input" };
                let start = match interface().filter(|interface| !interface.is_empty()) {
                    Some(interface) => format!("{keyword} {first} implements {interface} {{"),
                    None => format!("{keyword} {first} {{"),
                };
                (start, texts(arguments.get("fields", 2))?)
            }
            "containEnum" => (format!("enum {first} {{"), texts(arguments.get("values", 1))?),
            _ => return Err(Self::not_understood(format!("the function {name}"))),
        };
        Ok(Value::Matcher(Rc::new(Matcher::Definition { start, lines })))
    }

    /// The value of an object's name, and of a class's as a function.
    pub(super) fn template_value(&self, template: &Rc<Template>, owner: &Scope) -> Evaluated {
        if template.kind != TemplateKind::Object {
            return Err(Self::not_understood(format!("the class {}", template.name)));
        }
        let value = self.new_instance(template, Arguments::default(), owner)?;
        owner.bind_value(&template.name, value.clone());
        Ok(value)
    }

    fn apply_template(
        &self,
        template: &Rc<Template>,
        arguments: Arguments,
        owner: &Scope,
    ) -> Evaluated {
        match template.kind {
            TemplateKind::CaseClass => self.new_instance(template, arguments, owner),
            TemplateKind::Object => {
                let value = self.template_value(template, owner)?;
                self.method_with(&value, "apply", arguments)
            }
            TemplateKind::Class | TemplateKind::Trait => {
                Err(Self::not_understood(format!("the call of {}", template.name)))
            }
        }
    }

    fn new_instance(
        &self,
        template: &Rc<Template>,
        arguments: Arguments,
        owner: &Scope,
    ) -> Evaluated {
        let scope = Scope::new(Some(owner.clone()));
        self.bind_parameters(&template.parameters, arguments, &scope)?;
        for member in &template.members {
            match member {
                Statement::Function(function) => {
                    scope.bind(&function.name, Binding::Function(function.clone(), Rc::default()));
                }
                Statement::Template(inner) => {
                    scope.bind(&inner.name, Binding::Template(inner.clone()));
                }
                Statement::Value(_) | Statement::Expression(_) => {}
            }
        }
        for member in &template.members {
            match member {
                Statement::Function(_) | Statement::Template(_) => {}
                Statement::Value(definition) => self.define(definition, &scope)?,
                Statement::Expression(expression) => {
                    self.evaluate(expression, &scope)?;
                }
            }
        }
        Ok(Value::Instance(Rc::new(Instance { template: template.clone(), scope })))
    }

    /// `new Name(…)`
    pub(super) fn instantiate(
        &self,
        name: &str,
        arguments: &[Argument],
        scope: &Scope,
    ) -> Evaluated {
        let arguments = self.arguments(arguments, scope)?;
        match (name, arguments.positional.first()) {
            // A moment of a year alone, as Joda prints it.
            ("DateTime", Some(Value::Text(year)))
                if year.len() == 4 && year.chars().all(|c| c.is_ascii_digit()) =>
            {
                Ok(Value::text(format!("{year}-01-01T00:00:00.000Z")))
            }
            // Of the library of statements.
            ("Settings", None) => Ok(Value::Anything),
            ("BulkImport", Some(Value::Project(project))) => {
                Ok(host(Host::Importer(project.clone())))
            }
            ("BulkExport", Some(Value::Project(project))) => {
                Ok(host(Host::Exporter(project.clone())))
            }
            _ => match (scope.find(name), self.corpus.template(name)) {
                (Some((Binding::Template(template), owner)), _) => {
                    self.new_instance(&template, arguments, &owner)
                }
                (_, Some(template)) if template.kind == TemplateKind::CaseClass => {
                    self.new_instance(&template, arguments, &Scope::new(None))
                }
                _ => Err(Self::not_understood(format!("new {name}"))),
            },
        }
    }
}
