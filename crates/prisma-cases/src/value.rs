//! Values of the tests' programs.

mod matcher;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value as Json;

pub(crate) use matcher::{Matcher, errors_of};

use crate::scala::{Case, Expression, Function, Pattern, Template};

#[derive(Debug, Clone)]
pub(crate) enum Value {
    Unit,
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Rc<str>),
    Json(Rc<Json>),
    /// Vectors, lists, sets and arrays.
    List(Rc<Vec<Value>>),
    Tuple(Rc<Vec<Value>>),
    Option(Option<Rc<Value>>),
    Closure(Rc<Closure>),
    /// An object, or an instance of a class of the tests.
    Instance(Rc<Instance>),
    /// Datamodels by which a test runs once each.
    DataModels(Rc<Vec<Value>>),
    Project(Project),
    Record(Rc<Record>),
    /// A part of Prisma's server or of its test framework.
    Host(Host),
    Matcher(Rc<Matcher>),
    /// A value about which something will be asserted; true: its opposite.
    Asserted(Rc<Value>, bool),
    /// The name of a test, and its tags.
    Title(Rc<(String, Vec<String>)>),
    /// The answer of a server that is not there: all assertions about it hold.
    Anything,
}

/// A project of a test: a datamodel and its database.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Project {
    pub(crate) place: Place,
    pub(crate) data_model: Rc<str>,
}

/// The database of a project.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Place {
    /// One for the datamodel, which is emptied for each test.
    Own,
    /// One that is migrated several times.
    Deployed(usize),
    /// One that a test has made by statements, with the schema of its tables.
    Existing(Rc<str>),
}

/// A case class of Prisma's server.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) kind: &'static str,
    pub(crate) fields: Vec<(String, Value)>,
}

/// A test that a spec has declared.
#[derive(Debug, Clone)]
pub(crate) struct Test {
    pub(crate) name: String,
    pub(crate) tags: Vec<String>,
    pub(crate) is_ignored: bool,
    pub(crate) body: Expression,
    pub(crate) scope: Scope,
}

/// A deployment that was applied, or was not, and what was said.
#[derive(Debug, PartialEq)]
pub(crate) struct Deployment {
    pub(crate) is_applied: bool,
    pub(crate) text: String,
}

#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) template: Rc<Template>,
    pub(crate) scope: Scope,
}

#[derive(Debug)]
pub(crate) enum Closure {
    Lambda(Rc<(Vec<Pattern>, Expression)>, Scope),
    Cases(Rc<Vec<Case>>, Scope),
    Function(Rc<Function>, Scope),
    Method(Value, String),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Host {
    Server,
    Database,
    Capabilities,
    SchemaDsl,
    /// `SchemaDsl.fromStringV11()`, which takes a datamodel.
    DataModelReader(Place),
    DeployServer,
    /// The outcome of a deployment.
    Deployment(Rc<Deployment>),
    /// What is said about a datamodel that is refused.
    Refusal(Rc<str>),
    /// A part of it: a type, a field or a description.
    RefusalPart(Rc<str>),
    /// A datamodel that is accepted, and all that Prisma's process knows of it.
    Accepted,
    SchemaBuilder,
    SchemaRenderer,
    /// The schema of a project.
    Schema(Project),
    /// A model, by its name.
    Model(Project, Rc<str>),
    /// A field of a model, by its column.
    Column(Rc<str>),
    /// A part of a statement of SQL.
    Sql(Rc<str>),
    Json,
    TestDataModels,
    Importer(Project),
    Exporter(Project),
    DataResolver(Project),
    /// A connector or capability, by its name.
    Named(Rc<str>),
    /// A function or an object of Scala's library.
    Library(Rc<str>),
}

/// The names of a block, an instance or a file.
#[derive(Debug, Clone)]
pub(crate) struct Scope(Rc<ScopeNames>);

#[derive(Debug)]
struct ScopeNames {
    names: RefCell<HashMap<String, Binding>>,
    parent: Option<Scope>,
}

#[derive(Debug, Clone)]
pub(crate) enum Binding {
    Value(Value),
    /// A `lazy val` that was not asked for.
    Lazy(Rc<(Expression, Scope)>),
    /// A function, and those that it overrides, the next one first.
    Function(Rc<Function>, Rc<Vec<Rc<Function>>>),
    Template(Rc<Template>),
    /// A value that could not be had, and why.
    Failed(Rc<str>),
}

impl Scope {
    pub(crate) fn new(parent: Option<Self>) -> Self {
        Self(Rc::new(ScopeNames { names: RefCell::default(), parent }))
    }

    pub(crate) fn bind(&self, name: &str, binding: Binding) {
        self.0.names.borrow_mut().insert(name.to_owned(), binding);
    }

    pub(crate) fn bind_value(&self, name: &str, value: Value) {
        self.bind(name, Binding::Value(value));
    }

    pub(crate) fn unbind(&self, name: &str) {
        self.0.names.borrow_mut().remove(name);
    }

    /// A name, and the scope that has it.
    pub(crate) fn find(&self, name: &str) -> Option<(Binding, Self)> {
        let own = self.0.names.borrow().get(name).cloned();
        match own {
            Some(binding) => Some((binding, self.clone())),
            None => self.0.parent.as_ref()?.find(name),
        }
    }

    pub(crate) fn find_own(&self, name: &str) -> Option<Binding> {
        self.0.names.borrow().get(name).cloned()
    }
}

impl Value {
    pub(crate) fn text(text: impl Into<Rc<str>>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn list(items: Vec<Self>) -> Self {
        Self::List(Rc::new(items))
    }

    pub(crate) fn json(json: Json) -> Self {
        Self::Json(Rc::new(json))
    }

    pub(crate) fn named(name: &str) -> Self {
        Self::Host(Host::Named(name.into()))
    }

    /// What `toString` gives.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Self::Unit => "()".into(),
            Self::Null => "null".into(),
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Float(value) => format!("{value:?}"),
            Self::Text(text) => text.to_string(),
            Self::Json(json) => json.to_string(),
            Self::List(items) => format!("Vector({})", joined(items)),
            Self::Tuple(items) => format!("({})", joined(items)),
            Self::Option(None) => "None".into(),
            Self::Option(Some(value)) => format!("Some({})", value.to_text()),
            Self::Record(record) => {
                let values = record.fields.iter().map(|(_, value)| value.to_text());
                format!("{}({})", record.kind, values.collect::<Vec<_>>().join(", "))
            }
            Self::Host(Host::Named(name)) => name.to_string(),
            Self::Anything => "anything".into(),
            other => format!("{other:?}"),
        }
    }
}

fn joined(items: &[Value]) -> String {
    items.iter().map(Value::to_text).collect::<Vec<_>>().join(", ")
}

/// Equal values. Texts that are JSON objects or lists are equal as JSON: Prisma's answers have their
/// members in the order of a hash table.
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Anything, _) | (_, Value::Anything) => true,
        (Value::Unit, Value::Unit) | (Value::Null, Value::Null) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Int(left), Value::Int(right)) => left == right,
        (Value::Float(left), Value::Float(right)) => left == right,
        (Value::Int(int), Value::Float(float)) | (Value::Float(float), Value::Int(int)) => {
            *int as f64 == *float
        }
        (Value::Text(left), Value::Text(right)) => left == right || equal_as_json(left, right),
        (Value::Json(left), Value::Json(right)) => equal_json(left, right),
        (Value::List(left), Value::List(right)) | (Value::Tuple(left), Value::Tuple(right)) => {
            left.len() == right.len()
                && left.iter().zip(&**right).all(|(left, right)| equal(left, right))
        }
        (Value::Option(None), Value::Option(None)) => true,
        (Value::Option(Some(left)), Value::Option(Some(right))) => equal(left, right),
        (Value::Project(left), Value::Project(right)) => left == right,
        (Value::Record(left), Value::Record(right)) => {
            left.kind == right.kind
                && left.fields.len() == right.fields.len()
                && left
                    .fields
                    .iter()
                    .zip(&right.fields)
                    .all(|((_, left), (_, right))| equal(left, right))
        }
        (Value::Host(left), Value::Host(right)) => left == right,
        _ => false,
    }
}

fn equal_as_json(left: &str, right: &str) -> bool {
    let container = |text: &str| {
        serde_json::from_str::<Json>(text).ok().filter(|json| json.is_object() || json.is_array())
    };
    matches!((container(left), container(right)), (Some(left), Some(right)) if equal_json(&left, &right))
}

/// Equal JSON; the members of objects have no order, and `1` is `1.0`.
pub(crate) fn equal_json(left: &Json, right: &Json) -> bool {
    match (left, right) {
        (Json::Number(left), Json::Number(right)) => {
            left == right || left.as_f64() == right.as_f64()
        }
        (Json::Array(left), Json::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| equal_json(left, right))
        }
        (Json::Object(left), Json::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| {
                    right.get(key).is_some_and(|other| equal_json(value, other))
                })
        }
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_equal_as_json_only_if_both_are() {
        let check = |left: &str, right: &str| equal(&Value::text(left), &Value::text(right));
        assert!(check(r#"{"a":1,"b":[1]}"#, r#"{"b":[1.0],"a":1}"#));
        assert!(!check(r#"{"a":[1,2]}"#, r#"{"a":[2,1]}"#));
        assert!(!check("1", "1.0"));
        assert!(!check("a", "b"));
        assert!(!equal(&Value::text("1"), &Value::Int(1)));
    }
}
