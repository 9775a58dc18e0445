//! Calls that reach the server under test, and other objects of the test framework.

use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::calls::Arguments;
use super::data_models::{UNKNOWN_SEQUENCE, data_model};
use super::methods::{path_of, strip_margin};
use super::{Evaluated, Program, Stop, host};
use crate::service::{Endpoint, Service, has_capability};
use crate::value::{Closure, Host, Place, Project, Value, errors_of};

/// Longer waits of a test are cut.
const MAX_SLEEP: Duration = Duration::from_secs(2);
/// A moment has milliseconds.
const BETWEEN_REQUESTS: Duration = Duration::from_millis(1);
/// Longer texts are shortened in the trail.
const MAX_TRAIL: usize = 3000;

impl Program<'_> {
    pub(super) fn project(&self, data_model: &str, place: Place) -> Project {
        Project { place, data_model: strip_margin(data_model).into() }
    }

    /// Makes a database for a datamodel, or empties the one that is there.
    pub(super) fn set_up(&self, project: &Project) -> Result<(), Stop> {
        self.with_service(|service| service.set_up(project)).map(|_| ())
    }

    /// Runs something with the service, if there is one.
    pub(super) fn with_service<T>(
        &self,
        run: impl FnOnce(&mut Service) -> Result<T, String>,
    ) -> Result<Option<T>, Stop> {
        match self.service {
            None => Ok(None),
            Some(service) => match run(&mut service.borrow_mut()) {
                Ok(value) => Ok(Some(value)),
                Err(error) => Err(Stop::Failed(error)),
            },
        }
    }

    pub(super) fn host_method(&self, of: &Host, name: &str, arguments: &Arguments) -> Evaluated {
        match of {
            Host::Server => self.server_method(name, arguments),
            Host::Database => match (name, arguments.get("project", 0)) {
                ("setup", Some(Value::Project(project))) => {
                    self.set_up(&project)?;
                    Ok(Value::Unit)
                }
                ("truncateProjectTables", Some(Value::Project(project))) => {
                    self.with_service(|service| service.empty(&project))?;
                    Ok(Value::Unit)
                }
                _ => Err(Self::not_understood(format!("database.{name}"))),
            },
            Host::Capabilities => match (name, arguments.positional.first()) {
                ("has" | "hasNot", Some(Value::Host(Host::Named(capability)))) => {
                    Ok(Value::Bool(has_capability(capability) == (name == "has")))
                }
                _ => Err(Self::not_understood(format!("capabilities.{name}"))),
            },
            Host::SchemaDsl => match name {
                "fromStringV11" => Ok(host(Host::DataModelReader(Place::Own))),
                "fromStringV11ForExistingDatabase" => match arguments.get("id", 0) {
                    Some(Value::Text(schema)) => {
                        Ok(host(Host::DataModelReader(Place::Existing(schema))))
                    }
                    _ => Err(Self::not_understood("the schema of an existing database")),
                },
                "fromStringV11Capabilities" => self.reader_for(arguments),
                _ => Err(Self::not_understood(format!("SchemaDsl.{name}"))),
            },
            Host::DataModelReader(place) => match (name, arguments.positional.first()) {
                ("apply", Some(Value::Text(text))) => {
                    Ok(Value::Project(self.project(text, place.clone())))
                }
                _ => Err(Self::not_understood("a datamodel that is no text")),
            },
            Host::SchemaBuilder => match (name, arguments.positional.first()) {
                ("apply", Some(Value::Project(project))) => Ok(host(Host::Schema(project.clone()))),
                _ => Err(Self::not_understood(format!("schemaBuilder.{name}"))),
            },
            Host::SchemaRenderer => match (name, arguments.positional.first()) {
                ("renderSchema", Some(Value::Host(Host::Schema(project)))) => {
                    let text = self.with_service(|service| service.schema(&project.data_model))?;
                    Ok(text.map_or(Value::Anything, Value::text))
                }
                _ => Err(Self::not_understood(format!("SchemaRenderer.{name}"))),
            },
            Host::Json => self.json_function(name, arguments),
            Host::TestDataModels => {
                let models = match arguments.get("sql", 1) {
                    Some(Value::List(models)) => models,
                    Some(one @ Value::Text(_)) => Rc::new(vec![one]),
                    _ => return Err(Self::not_understood("the datamodels of a test")),
                };
                Ok(Value::DataModels(models))
            }
            Host::Importer(project) => match (name, arguments.positional.first()) {
                ("executeImport", Some(body)) => self.transfer(Endpoint::Import, project, body),
                _ => Err(Self::not_understood(format!("BulkImport.{name}"))),
            },
            Host::Exporter(project) => match (name, arguments.positional.get(1)) {
                ("executeExport", Some(body)) => self.transfer(Endpoint::Export, project, body),
                _ => Err(Self::not_understood(format!("BulkExport.{name}"))),
            },
            Host::DataResolver(project) => match (name, arguments.positional.first()) {
                ("countByTable", Some(Value::Text(table))) => {
                    let count = self.with_service(|service| service.count(project, table))?;
                    Ok(count.map_or(Value::Anything, Value::Int))
                }
                _ => Err(Self::not_understood(format!("dataResolver.{name}"))),
            },
            Host::Named(own) => match &**own {
                "testDependencies" if name == "apiSchemaBuilder" => Ok(host(Host::SchemaBuilder)),
                // The prefix of fields that Prisma adds for the other ends of relations.
                "Field" if name == "magicalBackRelationPrefix" => {
                    Ok(Value::text("_MagicalBackRelation_"))
                }
                "SQLDialect" | "ParamType" => Ok(Value::named(name)),
                "ConnectorTag"
                | "ConnectorCapability"
                | "TypeIdentifier"
                | "IdStrategy"
                | "OnDelete"
                | "RelationStrategy"
                | "ScalarListStrategy"
                | "DateTimeZone"
                | "com"
                | "prisma"
                | "shared"
                | "models" => Ok(Value::named(name)),
                _ => Err(Self::not_understood(format!("{own}.{name}"))),
            },
            Host::DeployServer => self.deploy_method(name, arguments),
            Host::Refusal(text) => match name {
                "head" | "last" | "apply" => Ok(Value::Host(of.clone())),
                "size" | "length" => {
                    Ok(Value::Int(i64::try_from(errors_of(text)).unwrap_or(i64::MAX)))
                }
                "description" | "type" | "field" => Ok(host(Host::RefusalPart(text.clone()))),
                _ => Err(Self::not_understood(format!("the {name} of errors"))),
            },
            // What Prisma's process knows of a datamodel is not compared.
            Host::Accepted => Ok(host(Host::Accepted)),
            Host::Deployment(_) | Host::RefusalPart(_) => {
                Err(Self::not_understood(format!("the {name} of a deployment")))
            }
            Host::Library(library) => self.library_method(library, name, arguments),
            Host::Schema(project) => match (name, arguments.positional.first()) {
                ("getModelByName_!", Some(Value::Text(model))) => {
                    Ok(host(Host::Model(project.clone(), model.clone())))
                }
                ("relations", _) => match data_model(&project.data_model) {
                    Some(Value::Record(model)) => self.record_method(&model, name, arguments),
                    _ => Err(self.failed("the datamodel is not read as it was".into())),
                },
                // Prisma's process knows more of a project than is compared.
                _ => Ok(host(Host::Accepted)),
            },
            Host::Model(project, model) => match (name, arguments.positional.first()) {
                ("dbName", _) => Ok(Value::text(table_of(&project.data_model, model))),
                ("idField_!", _) => match id_of(&project.data_model, model) {
                    Some(field) => Ok(host(Host::Column(field.into()))),
                    None => Err(Self::not_understood("a model without an id")),
                },
                ("getScalarFieldByName_!", Some(Value::Text(field))) => {
                    Ok(host(Host::Column(field.clone())))
                }
                _ => Err(Self::not_understood(format!("the {name} of a model"))),
            },
            Host::Column(column) => match name {
                "dbName" | "name" => Ok(Value::Text(column.clone())),
                _ => Err(Self::not_understood(format!("the {name} of a field"))),
            },
            Host::Sql(text) => Self::sql_method(text, name, arguments),
        }
    }

    /// A reader of datamodels for capabilities, if the database has them.
    fn reader_for(&self, arguments: &Arguments) -> Evaluated {
        if let Some(list) = arguments.get("capabilities", 0) {
            self.require_capabilities(&list)?;
        }
        Ok(host(Host::DataModelReader(Place::Own)))
    }

    pub(super) fn require_capabilities(&self, list: &Value) -> Result<(), Stop> {
        for capability in self.items(list)?.iter() {
            let Value::Host(Host::Named(capability)) = capability else {
                return Err(Self::not_understood("a capability without a name"));
            };
            if !has_capability(capability) {
                return Err(Self::not_understood(format!("a datamodel for the {capability}")));
            }
        }
        Ok(())
    }

    fn server_method(&self, name: &str, arguments: &Arguments) -> Evaluated {
        let (Some(query), Some(Value::Project(project))) =
            (arguments.get("query", 0), arguments.get("project", 1))
        else {
            return Err(Self::not_understood(format!("the arguments of server.{name}")));
        };
        let variables = |place| match arguments.get("variables", place) {
            Some(Value::Json(json)) => Ok((*json).clone()),
            Some(Value::Anything) | None => Ok(json!({})),
            Some(_) => Err(Self::not_understood("variables that are no JSON")),
        };
        match name {
            "query" | "queryAsync" => {
                let variables = variables(3)?;
                let contains = arguments.get("dataContains", 2).map(|text| text.to_text());
                let Some(answer) = self.ask(Endpoint::Api, &project, &query, &variables)? else {
                    return Ok(Value::Anything);
                };
                if answer.get("errors").is_some() {
                    return Err(self.failed("the query had to succeed".into()));
                }
                if let Some(part) = contains.filter(|part| !part.is_empty()) {
                    let data = answer.get("data").map(Json::to_string).unwrap_or_default();
                    self.assert(data.contains(&part), || format!("  expected data with {part}"))?;
                }
                Ok(Value::json(answer))
            }
            "queryPrivateSchema" => {
                let variables = variables(2)?;
                let answer = self.ask(Endpoint::Private, &project, &query, &variables)?;
                Ok(answer.map_or(Value::Anything, Value::json))
            }
            "queryThatMustFail" => {
                let variables = variables(6)?;
                let code = match arguments.get("errorCode", 2) {
                    Some(Value::Int(code)) => code,
                    _ => return Err(Self::not_understood("an error code that is no number")),
                };
                let count = match arguments.get("errorCount", 3) {
                    Some(Value::Int(count)) => usize::try_from(count).unwrap_or(usize::MAX),
                    _ => 1,
                };
                let contains = arguments.get("errorContains", 4).map(|text| text.to_text());
                let Some(answer) = self.ask(Endpoint::Api, &project, &query, &variables)? else {
                    return Ok(Value::Anything);
                };
                self.assert_failing(&answer, code, count, &contains.unwrap_or_default())?;
                Ok(Value::json(answer))
            }
            _ => Err(Self::not_understood(format!("server.{name}"))),
        }
    }

    fn assert_failing(
        &self,
        answer: &Json,
        code: i64,
        count: usize,
        contains: &str,
    ) -> Result<(), Stop> {
        let Some(errors) = path_of(answer, "errors").and_then(Json::as_array) else {
            return Err(self.failed(format!("an error was expected: {code} {contains}")));
        };
        if code != 0 {
            let own = path_of(answer, "errors.[0].code").cloned().unwrap_or(Json::Null);
            self.assert(own == json!(code), || {
                format!("  expected the code {code}\n  received {own}")
            })?;
        }
        let text = Json::from(errors.clone()).to_string();
        if errors.len() != count {
            self.other_error(format!("  expected {count} errors\n  received {}", errors.len()));
        } else if !text.contains(contains) {
            self.other_error(format!("  expected errors with {contains}\n  received {text}"));
        }
        Ok(())
    }

    /// Sends a request; nothing comes where there is no server.
    fn ask(
        &self,
        endpoint: Endpoint,
        project: &Project,
        query: &Value,
        variables: &Json,
    ) -> Result<Option<Json>, Stop> {
        let query = strip_margin(&query.to_text());
        let body = json!({ "query": query, "variables": variables });
        let shown = match variables.as_object() {
            Some(members) if !members.is_empty() => format!("{query}\n  {variables}"),
            _ => query,
        };
        self.send(endpoint, project, &body, &shown)
    }

    fn transfer(&self, endpoint: Endpoint, project: &Project, body: &Value) -> Evaluated {
        let body = match body {
            Value::Json(json) => (**json).clone(),
            Value::Anything => Json::Null,
            _ => return Err(Self::not_understood("a bundle that is no JSON")),
        };
        let answer = self.send(endpoint, project, &body, &body.to_string())?;
        if answer.as_ref().is_some_and(|answer| answer.get("errors").is_some()) {
            return Err(self.failed("the bundle is refused".into()));
        }
        Ok(answer.map_or(Value::Anything, Value::json))
    }

    fn send(
        &self,
        endpoint: Endpoint,
        project: &Project,
        body: &Json,
        shown: &str,
    ) -> Result<Option<Json>, Stop> {
        let sent = self.with_service(|service| service.request(project, endpoint, body));
        let answer = match sent {
            Ok(answer) => answer,
            Err(Stop::Failed(error)) => {
                return Err(Stop::Failed(format!("{error}\n  request {}", cut(shown))));
            }
            Err(other) => return Err(other),
        };
        if let Some(answer) = &answer {
            // Prisma takes longer, so its rows have moments of their own.
            std::thread::sleep(BETWEEN_REQUESTS);
            let answer = answer.to_string();
            let line = format!("  request {}\n  answer {}", cut(shown), cut(&answer));
            self.trail.borrow_mut().push(line);
        }
        Ok(answer)
    }

    fn json_function(&self, name: &str, arguments: &Arguments) -> Evaluated {
        match (name, arguments.positional.first()) {
            ("parse", Some(Value::Text(text))) => Ok(Value::json(self.parse_json(text)?)),
            ("toJson", Some(value)) => Ok(Value::json(Self::to_json(value)?)),
            ("obj", _) => {
                let mut members = serde_json::Map::new();
                for pair in &arguments.positional {
                    match pair {
                        Value::Tuple(pair) if pair.len() == 2 => {
                            members.insert(pair[0].to_text(), Self::to_json(&pair[1])?);
                        }
                        _ => return Err(Self::not_understood("a member that is no pair")),
                    }
                }
                Ok(Value::json(Json::Object(members)))
            }
            _ => Err(Self::not_understood(format!("Json.{name}"))),
        }
    }

    pub(super) fn to_json(value: &Value) -> Result<Json, Stop> {
        Ok(match value {
            Value::Null | Value::Option(None) | Value::Anything => Json::Null,
            Value::Bool(value) => json!(value),
            Value::Int(value) => json!(value),
            Value::Float(value) => json!(value),
            Value::Text(text) => json!(&**text),
            Value::Json(json) => (**json).clone(),
            Value::Option(Some(value)) => Self::to_json(value)?,
            Value::List(items) => {
                Json::Array(items.iter().map(Self::to_json).collect::<Result<_, _>>()?)
            }
            _ => return Err(Self::not_understood("a value that is no JSON")),
        })
    }

    fn library_method(&self, library: &str, name: &str, arguments: &Arguments) -> Evaluated {
        let first = arguments.positional.first();
        match (library, name, first) {
            (_, "apply", _) => self.apply(&host(Host::Library(library.into())), arguments.clone()),
            ("Vector" | "List" | "Seq" | "Set" | "Map", "empty", _) => Ok(Value::list(Vec::new())),
            ("Option", "empty", _) => Ok(Value::Option(None)),
            // Its name is that of a table of Prisma's migration.
            ("Sequence", "default", _) => {
                self.left_out.borrow_mut().push(UNKNOWN_SEQUENCE.into());
                Ok(Value::Anything)
            }
            ("DSL", "using", _) => Ok(host(Host::Sql("".into()))),
            ("StringUtil", "escapeString", Some(text)) => {
                let quoted = Json::from(text.to_text()).to_string();
                Ok(Value::text(&quoted[1..quoted.len() - 1]))
            }
            ("JsObject", "empty", _) => Ok(Value::json(json!({}))),
            ("Future", "traverse", Some(list)) => {
                let closure = Closure::Method(list.clone(), "traverse".into());
                Ok(Value::Closure(Rc::new(closure)))
            }
            ("Future", "successful" | "sequence", Some(value)) => Ok(value.clone()),
            ("sys", "error", Some(text)) => Err(self.failed(text.to_text())),
            ("System", "currentTimeMillis", _) => {
                let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
                let millis = now.map(|now| now.as_millis()).unwrap_or_default();
                Ok(Value::Int(i64::try_from(millis).unwrap_or(i64::MAX)))
            }
            ("UUID", "fromString", Some(Value::Text(text))) => {
                let digits = text.split('-').map(str::len).collect::<Vec<_>>() == [8, 4, 4, 4, 12];
                let is_one = digits && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit());
                self.assert(is_one, || format!("  expected a UUID\n  received {text}"))
            }
            ("UUID", "fromString", Some(Value::Anything)) => Ok(Value::Unit),
            ("Thread", "sleep", Some(Value::Int(millis))) => {
                if self.service.is_some() {
                    let millis = u64::try_from(*millis).unwrap_or(0);
                    std::thread::sleep(Duration::from_millis(millis).min(MAX_SLEEP));
                }
                Ok(Value::Unit)
            }
            ("Character", "toChars", Some(Value::Int(code))) => {
                let character = u32::try_from(*code).ok().and_then(char::from_u32);
                match character {
                    Some(character) => Ok(Value::text(character.to_string())),
                    None => Err(Self::not_understood("half of a character")),
                }
            }
            _ => Err(Self::not_understood(format!("{library}.{name}"))),
        }
    }
}

/// The table of a model: its `@db(name:)`, or its own name.
fn table_of(data_model: &str, model: &str) -> String {
    let lines = data_model.lines().map(str::trim);
    let mut heads = lines.filter_map(|line| line.strip_prefix("type "));
    let head = heads.find(|head| {
        let rest = head.trim_start().strip_prefix(model);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    });
    let named = head.and_then(|head| head.split_once("@db(name:"));
    let quoted = named.and_then(|(_, rest)| rest.split('"').nth(1));
    quoted.unwrap_or(model).to_owned()
}

/// The field of a model's id.
fn id_of(data_model: &str, model: &str) -> Option<String> {
    let lines = data_model.lines().map(str::trim);
    let mut own = lines.skip_while(|line| {
        line.strip_prefix("type ").and_then(|head| head.split_whitespace().next()) != Some(model)
    });
    let line = own.find(|line| line.contains("@id"))?;
    Some(line.split(':').next()?.trim().to_owned())
}

fn cut(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(MAX_TRAIL) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_the_names_of_models_or_their_own() {
        let data_model = "type A {\n a: B }\ntype AB @db(name: \"ab_s\") {\n}";
        assert_eq!(table_of(data_model, "A"), "A");
        assert_eq!(table_of(data_model, "AB"), "ab_s");
        let data_model = "type A {\n a: Int @id\n}\ntype AB {\n  key : ID! @id\n}";
        assert_eq!(id_of(data_model, "AB").as_deref(), Some("key"));
        assert_eq!(id_of(data_model, "B"), None);
    }
}
