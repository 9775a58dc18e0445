//! Runs the program of a spec: its statements and expressions.
//!
//! `names` has what the programs find in Scala's and Prisma's libraries; `calls` calls it, `methods`
//! has the methods of values, `infix` the operators with ScalaTest's words, and `host` the calls
//! that reach the server under test.

mod calls;
mod data_models;
mod deploy;
mod host;
mod infix;
mod methods;
mod names;
mod patterns;
mod sql;
mod tables;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::corpus::Corpus;
use crate::scala::{Definition, Expression, Statement, TextPart};
use crate::service::{Database, Service};
use crate::value::{Binding, Closure, Host, Project, Scope, Test, Value};

/// Why a program does not go on.
#[derive(Debug, Clone)]
pub(crate) enum Stop {
    /// Something that is not evaluated here.
    NotUnderstood(String),
    /// An assertion does not hold, or the program has thrown an error.
    Failed(String),
}

pub(crate) type Evaluated = Result<Value, Stop>;

/// The functions of the tests do not call themselves deeply.
const MAX_DEPTH: usize = 200;

/// Objects of Prisma's process. What asserts only about them has no meaning over HTTP.
const INTERNAL: [&str; 7] = [
    "testDependencies",
    "dataResolver",
    "webhookTestKit",
    "sssEventsTestKit",
    "invalidationTestKit",
    "deployConnector",
    "println",
];

/// The program of a spec, and what its tests have done.
#[derive(Debug)]
pub(crate) struct Program<'c> {
    pub(crate) corpus: &'c Corpus,
    /// None: only what is understood is tried.
    pub(crate) service: Option<&'c RefCell<Service>>,
    pub(crate) database: Database,
    /// The tests that have been declared.
    pub(crate) tests: RefCell<Vec<Test>>,
    /// What the tests that are being declared are about.
    pub(crate) subjects: RefCell<Vec<String>>,
    /// The members of the spec are being evaluated, not a test.
    pub(crate) is_declaring: Cell<bool>,
    /// The last requests, and their answers.
    pub(crate) trail: RefCell<Vec<String>>,
    pub(crate) assertions: Cell<usize>,
    /// Assertions about Prisma's process, which were left out.
    pub(crate) left_out: RefCell<Vec<String>>,
    /// Errors that came as expected, with another text.
    pub(crate) other_errors: RefCell<Vec<String>>,
    /// The project of a test of migrations.
    migrated: RefCell<Option<Project>>,
    depth: Cell<usize>,
}

impl<'c> Program<'c> {
    pub(crate) fn new(
        corpus: &'c Corpus,
        service: Option<&'c RefCell<Service>>,
        database: Database,
    ) -> Self {
        Self {
            corpus,
            service,
            database,
            tests: RefCell::default(),
            subjects: RefCell::default(),
            is_declaring: Cell::new(false),
            trail: RefCell::default(),
            assertions: Cell::new(0),
            left_out: RefCell::default(),
            other_errors: RefCell::default(),
            migrated: RefCell::default(),
            depth: Cell::new(0),
        }
    }

    pub(crate) fn not_understood(what: impl Into<String>) -> Stop {
        Stop::NotUnderstood(what.into())
    }

    /// Runs statements in a scope of their own.
    pub(crate) fn block(&self, statements: &[Statement], parent: &Scope) -> Evaluated {
        let scope = Scope::new(Some(parent.clone()));
        for statement in statements {
            match statement {
                Statement::Function(function) => {
                    scope.bind(&function.name, Binding::Function(function.clone(), Rc::default()));
                }
                Statement::Template(template) => {
                    scope.bind(&template.name, Binding::Template(template.clone()));
                }
                Statement::Value(_) | Statement::Expression(_) => {}
            }
        }
        let mut last = Value::Unit;
        for statement in statements {
            last = Value::Unit;
            match statement {
                Statement::Function(_) | Statement::Template(_) => {}
                Statement::Value(definition) => self.define(definition, &scope)?,
                Statement::Expression(expression) => {
                    last = self.statement(expression, &scope)?;
                }
            }
        }
        Ok(last)
    }

    /// Evaluates a statement; one that asserts about Prisma's process is left out.
    fn statement(&self, expression: &Expression, scope: &Scope) -> Evaluated {
        match self.evaluate(expression, scope) {
            Err(Stop::NotUnderstood(reason)) if is_internal(expression) => {
                self.left_out.borrow_mut().push(reason);
                Ok(Value::Unit)
            }
            other => other,
        }
    }

    pub(crate) fn define(&self, definition: &Definition, scope: &Scope) -> Result<(), Stop> {
        if definition.is_lazy
            && let crate::scala::Pattern::Name(name) = &definition.pattern
        {
            let lazy = Rc::new((definition.value.clone(), scope.clone()));
            scope.bind(name, Binding::Lazy(lazy));
            return Ok(());
        }
        let value = self.evaluate(&definition.value, scope)?;
        if self.matches(&definition.pattern, &value, scope)? {
            Ok(())
        } else {
            Err(Self::not_understood("a pattern that does not match"))
        }
    }

    pub(crate) fn evaluate(&self, expression: &Expression, scope: &Scope) -> Evaluated {
        match expression {
            Expression::Unit => Ok(Value::Unit),
            Expression::Null => Ok(Value::Null),
            Expression::Bool(value) => Ok(Value::Bool(*value)),
            Expression::Int(value) => Ok(Value::Int(*value)),
            Expression::Float(value) => Ok(Value::Float(*value)),
            Expression::Text(text) => Ok(Value::Text(text.clone())),
            Expression::Interpolated(parts) => self.interpolated(parts, scope),
            Expression::Name(name) => self.name(name, scope),
            Expression::Member(of, name) => self.member(of, name, scope),
            Expression::Call(callee, arguments) => self.call(callee, arguments, scope),
            Expression::Infix(left, operator, right) => self.infix(left, operator, right, scope),
            Expression::Not(of) => match self.evaluate(of, scope)? {
                Value::Bool(value) => Ok(Value::Bool(!value)),
                _ => Err(Self::not_understood("! of no Boolean")),
            },
            Expression::Negative(of) => match self.evaluate(of, scope)? {
                Value::Int(value) => Ok(Value::Int(-value)),
                Value::Float(value) => Ok(Value::Float(-value)),
                _ => Err(Self::not_understood("- of no number")),
            },
            Expression::Block(statements) => self.block(statements, scope),
            Expression::Lambda(lambda) => {
                Ok(Value::Closure(Rc::new(Closure::Lambda(lambda.clone(), scope.clone()))))
            }
            Expression::Cases(cases) => {
                Ok(Value::Closure(Rc::new(Closure::Cases(cases.clone(), scope.clone()))))
            }
            Expression::If(parts) => {
                let (condition, then, otherwise) = &**parts;
                match (self.evaluate(condition, scope)?, otherwise) {
                    (Value::Bool(true), _) => self.evaluate(then, scope),
                    (Value::Bool(false), Some(otherwise)) => self.evaluate(otherwise, scope),
                    (Value::Bool(false), None) => Ok(Value::Unit),
                    _ => Err(Self::not_understood("a condition that is no Boolean")),
                }
            }
            Expression::Match(value, cases) => {
                let value = self.evaluate(value, scope)?;
                self.run_cases(cases, &value, scope)
            }
            Expression::For(enumerators, body, yields) => {
                let mut results = Vec::new();
                self.run_for(enumerators, body, scope, &mut results)?;
                Ok(if *yields { Value::list(results) } else { Value::Unit })
            }
            Expression::New(name, arguments) => self.instantiate(name, arguments, scope),
            Expression::Tuple(items) => {
                let items = items.iter().map(|item| self.evaluate(item, scope));
                Ok(Value::Tuple(Rc::new(items.collect::<Result<_, _>>()?)))
            }
            Expression::Assign(target, value) => {
                let Expression::Name(name) = &**target else {
                    return Err(Self::not_understood("an assignment to no name"));
                };
                let value = self.evaluate(value, scope)?;
                let (_, owner) = scope
                    .find(name)
                    .ok_or_else(|| Self::not_understood(format!("an assignment to {name}")))?;
                owner.bind_value(name, value);
                Ok(Value::Unit)
            }
            Expression::Unknown(text) => Err(Self::not_understood(format!("the text {text}"))),
        }
    }

    fn interpolated(&self, parts: &[TextPart], scope: &Scope) -> Evaluated {
        let mut text = String::new();
        for part in parts {
            match part {
                TextPart::Text(own) => text.push_str(own),
                TextPart::Value(value) => text.push_str(&self.evaluate(value, scope)?.to_text()),
            }
        }
        Ok(Value::text(text))
    }

    /// The value of a name: of the program, else of a library.
    pub(crate) fn name(&self, name: &str, scope: &Scope) -> Evaluated {
        match scope.find(name) {
            Some((binding, owner)) => self.bound(name, binding, &owner),
            None => self.library_name(name),
        }
    }

    fn bound(&self, name: &str, binding: Binding, owner: &Scope) -> Evaluated {
        match binding {
            Binding::Value(value) => Ok(value),
            Binding::Failed(reason) => Err(Self::not_understood(&*reason)),
            Binding::Lazy(lazy) => {
                let (expression, scope) = &*lazy;
                // `lazy val name = this.name(…)` means another one, of the framework.
                owner.unbind(name);
                match self.evaluate(expression, scope) {
                    Ok(value) => {
                        owner.bind_value(name, value.clone());
                        Ok(value)
                    }
                    Err(stop) => {
                        owner.bind(name, Binding::Lazy(lazy.clone()));
                        Err(stop)
                    }
                }
            }
            Binding::Function(function, overridden) => {
                if function.parameters.is_empty() {
                    return self.call_function(&function, &overridden, Vec::new(), owner);
                }
                Ok(Value::Closure(Rc::new(Closure::Function(function, owner.clone()))))
            }
            Binding::Template(template) => self.template_value(&template, owner),
        }
    }

    fn member(&self, of: &Expression, name: &str, scope: &Scope) -> Evaluated {
        if let Expression::Name(own) = of {
            match &**own {
                "this" => return self.name(name, scope),
                "super" => return self.call_overridden(name, scope),
                _ => {}
            }
        }
        let value = self.evaluate(of, scope)?;
        self.method(&value, name, Vec::new(), false)
    }

    /// Counts an assertion that holds, or fails with what was expected.
    pub(crate) fn assert(&self, holds: bool, text: impl FnOnce() -> String) -> Evaluated {
        self.assertions.set(self.assertions.get() + 1);
        if holds { Ok(Value::Unit) } else { Err(self.failed(text())) }
    }

    /// A failure, with the last request.
    pub(crate) fn failed(&self, text: String) -> Stop {
        let trail = self.trail.borrow();
        Stop::Failed(match trail.last() {
            Some(last) => format!("{text}\n{last}"),
            None => text,
        })
    }

    /// Notes that an error has another text.
    pub(crate) fn other_error(&self, text: String) {
        if let Stop::Failed(text) = self.failed(text) {
            self.other_errors.borrow_mut().push(text);
        }
    }

    /// Runs a part of a deeper call.
    fn deeper(&self, run: impl FnOnce() -> Evaluated) -> Evaluated {
        if self.depth.get() >= MAX_DEPTH {
            return Err(Self::not_understood("calls that are too deep"));
        }
        self.depth.set(self.depth.get() + 1);
        let result = run();
        self.depth.set(self.depth.get() - 1);
        result
    }
}

/// The expression begins with an object of Prisma's process.
fn is_internal(expression: &Expression) -> bool {
    match expression {
        Expression::Name(name) => INTERNAL.contains(&&**name),
        Expression::Member(of, _) | Expression::Call(of, _) | Expression::Infix(of, ..) => {
            is_internal(of)
        }
        _ => false,
    }
}

/// A value of a host.
pub(crate) fn host(host: Host) -> Value {
    Value::Host(host)
}
