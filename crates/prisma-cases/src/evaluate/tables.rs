//! Tables of a database, as the tests of migrations look at them.

use std::rc::Rc;

use serde_json::Value as Json;

use super::calls::Arguments;
use super::{Evaluated, Program, Stop, host};
use crate::service::Losses;
use crate::value::{Host, Place, Record, Value};

/// The datamodel from which the tests of migrations begin.
const FIRST: &str = "type A {\n  id: ID! @id\n}";

impl Program<'_> {
    /// A project with a new database for the next test of migrations.
    pub(super) fn set_up_migrated(&self) -> Evaluated {
        if let Some(number) = self.with_service(|service| Ok(service.next_deployed()))? {
            let project = self.project(FIRST, Place::Deployed(number));
            self.set_up(&project)?;
            *self.migrated.borrow_mut() = Some(project);
        }
        Ok(Value::Unit)
    }

    /// `deploy(datamodel)`, which returns the tables, and `deployThatMustError(datamodel)`.
    pub(super) fn migrate(&self, name: &str, arguments: &Arguments) -> Evaluated {
        let Some(Value::Text(data_model)) = arguments.get("dataModel", 0) else {
            return Err(Self::not_understood("a datamodel that is no text"));
        };
        let before = self.migrated.borrow().clone();
        let Some(before) = before else { return Ok(Value::Anything) };
        let project = self.project(&data_model, before.place);
        let deployed = self.with_service(|service| service.deploy(&project, Losses::Allowed))?;
        match (name, deployed) {
            (_, None) => Ok(Value::Anything),
            ("deploy", Some(deployment)) if deployment.is_applied => {
                *self.migrated.borrow_mut() = Some(project);
                self.inspect()
            }
            ("deploy", Some(deployment)) => {
                Err(Stop::Failed(format!("{}\n{data_model}", deployment.text)))
            }
            (_, Some(deployment)) => {
                self.assert(!deployment.is_applied, || {
                    format!("it had to be refused\n{data_model}")
                })?;
                Ok(host(Host::Refusal(deployment.text.into())))
            }
        }
    }

    pub(super) fn inspect(&self) -> Evaluated {
        let project = self.migrated.borrow().clone();
        let Some(project) = project else { return Ok(Value::Anything) };
        let tables = self.with_service(|service| service.tables(&project))?;
        Ok(tables.map_or(Value::Anything, |tables| {
            record("DatabaseSchema", vec![("tables", list(&tables, table))])
        }))
    }

    /// A field of a record, or one of the methods by which tests find tables and columns.
    pub(super) fn record_method(
        &self,
        of: &Rc<Record>,
        name: &str,
        arguments: &Arguments,
    ) -> Evaluated {
        if let Some((_, value)) = of.fields.iter().find(|(own, _)| own == name) {
            return Ok(value.clone());
        }
        let (list, key, wanted) = match (name.trim_end_matches("_!"), arguments.positional.first())
        {
            ("table", Some(wanted)) => ("tables", "name", wanted.clone()),
            ("column", Some(wanted)) => ("columns", "name", wanted.clone()),
            ("type" | "modelType", Some(wanted)) => ("types", "name", wanted.clone()),
            ("enum", Some(wanted)) => ("enums", "name", wanted.clone()),
            ("field" | "scalarField" | "enumField" | "relationField", Some(wanted)) => {
                ("fields", "name", wanted.clone())
            }
            ("indexByColumns", Some(_)) => {
                ("indexes", "columns", Value::list(arguments.positional.clone()))
            }
            _ => return Err(Self::not_understood(format!("the {name} of a {}", of.kind))),
        };
        let items = of.fields.iter().find(|(own, _)| own == list).map(|(_, value)| value);
        let items = items.map_or_else(|| Ok(Rc::default()), |value| self.items(value))?;
        let found = items.iter().find(|item| match item {
            Value::Record(item) => item
                .fields
                .iter()
                .any(|(own, value)| own == key && crate::value::equal(value, &wanted)),
            _ => false,
        });
        match (found, name.ends_with("_!")) {
            (found, false) => Ok(Value::Option(found.cloned().map(Rc::new))),
            (Some(found), true) => Ok(found.clone()),
            (None, true) => Err(self.failed(format!("no {name} {}", wanted.to_text()))),
        }
    }
}

pub(super) fn record(kind: &'static str, fields: Vec<(&str, Value)>) -> Value {
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Value::Record(Rc::new(Record { kind, fields }))
}

fn list(json: &Json, item: impl Fn(&Json) -> Value) -> Value {
    Value::list(json.as_array().into_iter().flatten().map(item).collect())
}

fn text(json: &Json) -> Value {
    Value::text(json.as_str().unwrap_or_default())
}

fn option(json: &Json, value: impl Fn(&Json) -> Value) -> Value {
    Value::Option(Some(json).filter(|json| !json.is_null()).map(|json| Rc::new(value(json))))
}

fn table(json: &Json) -> Value {
    record(
        "Table",
        vec![
            ("name", text(&json["name"])),
            ("columns", list(&json["columns"], column)),
            ("indexes", list(&json["indexes"], index)),
        ],
    )
}

fn column(json: &Json) -> Value {
    let type_name = json["typeIdentifier"].as_str().unwrap_or_default();
    record(
        "Column",
        vec![
            ("name", text(&json["name"])),
            ("isRequired", Value::Bool(json["isRequired"] == Json::Bool(true))),
            ("typeIdentifier", Value::named(type_name)),
            ("foreignKey", option(&json["foreignKey"], foreign_key)),
            ("sequence", option(&json["sequence"], sequence)),
        ],
    )
}

fn foreign_key(json: &Json) -> Value {
    record("ForeignKey", vec![("table", text(&json["table"])), ("column", text(&json["column"]))])
}

fn sequence(json: &Json) -> Value {
    let current = Value::Int(json["current"].as_i64().unwrap_or_default());
    record("Sequence", vec![("name", text(&json["name"])), ("current", current)])
}

fn index(json: &Json) -> Value {
    record(
        "Index",
        vec![
            ("name", text(&json["name"])),
            ("columns", list(&json["columns"], text)),
            ("unique", Value::Bool(json["unique"] == Json::Bool(true))),
        ],
    )
}
