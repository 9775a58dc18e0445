//! `/v1/metadata`: what the console and the command line read. The metadata is a file or a row that
//! the server only reads, so everything that would change it is refused.

use engine::{ApiWorker, UninheritedSubject};
use hyper::StatusCode;
use serde_json::{Value, json};

use super::events::EventCall;
use super::failure::Failure;
use super::{Answer, EndpointRequest, HasuraSettings, HttpRequest, server};
use crate::http::service::Service;

/// The deepest nesting of `bulk` requests.
const MOST_LEVELS: usize = 8;

/// The present version of the metadata: it changes with a reload only.
const RESOURCE_VERSION: u64 = 1;

pub(super) async fn answer(asked: EndpointRequest<'_>, request: HttpRequest) -> Answer {
    let body = asked.admin_body(request).await?;
    let value = run(asked.service, asked.settings, &body, "$", 0).await?;
    Ok(super::json(StatusCode::OK, &value))
}

/// Answers a request to `/v1/query`, of which only calls about events are served.
pub(super) async fn answer_query(asked: EndpointRequest<'_>, request: HttpRequest) -> Answer {
    let body = asked.admin_body(request).await?;
    let call = body.get("type").and_then(Value::as_str).and_then(EventCall::find);
    let Some(call) = call else {
        return Err(Failure::not_supported(
            "this endpoint executes SQL and changes metadata, which this server does not: send \
             SQL to the database itself, and read metadata at /v1/metadata",
        ));
    };
    let args = body.get("args").unwrap_or(&Value::Null);
    let value = call.run(asked.service, asked.settings, args, "$").await?;
    Ok(super::json(StatusCode::OK, &value))
}

/// Answers one request of the metadata API, at a path of the body. Recursion is bounded by the nesting
/// of `bulk` requests.
async fn run(
    service: &Service,
    settings: &HasuraSettings,
    request: &Value,
    path: &str,
    level: usize,
) -> Result<Value, Failure> {
    let Some(kind) = request.get("type").and_then(Value::as_str) else {
        return Err(Failure::parse_failed("the key \"type\" was not present").at(path));
    };
    let args = request.get("args").unwrap_or(&Value::Null);
    let version = request.get("version").and_then(Value::as_u64).unwrap_or(1);
    match kind {
        "export_metadata" => match version {
            1 => Ok(exported(settings)),
            2 => Ok(json!({
                "resource_version": RESOURCE_VERSION,
                "metadata": exported(settings),
            })),
            _ => {
                let message = format!("export_metadata has the versions 1 and 2, not {version}");
                Err(Failure::bad_request(message).at(path))
            }
        },
        "get_inconsistent_metadata" => Ok(inconsistencies(service)),
        "get_catalog_state" => Ok(json!({ "id": "", "cli_state": {}, "console_state": {} })),
        "list_source_kinds" => Ok(json!({
            "sources": [{ "builtin": true, "kind": "postgres", "display_name": "PostgreSQL" }],
        })),
        "pg_get_source_tables" | "get_source_tables" => Ok(tables(service)),
        "bulk" | "bulk_keep_going" => {
            let Value::Array(members) = args else {
                return Err(Failure::parse_failed("expected a list").at(format!("{path}.args")));
            };
            if level >= MOST_LEVELS {
                let message = "requests of the type \"bulk\" are nested too deeply";
                return Err(Failure::bad_request(message).at(path));
            }
            let keeps_going = kind == "bulk_keep_going";
            let mut answers = Vec::with_capacity(members.len());
            for (index, member) in members.iter().enumerate() {
                let path = format!("{path}.args[{index}]");
                let answer = Box::pin(run(service, settings, member, &path, level + 1)).await;
                answers.push(match answer {
                    Err(failure) if keeps_going => failure.body(),
                    answer => answer?,
                });
            }
            Ok(Value::Array(answers))
        }
        kind => {
            if let Some(call) = EventCall::find(kind) {
                return call.run(service, settings, args, path).await;
            }
            Err(Failure::not_supported(format!(
            "\"{kind}\" is not served: the metadata is read when the server starts or reloads, and \
             only read here; change the files of the metadata instead"
        ))
        .at(path))
        }
    }
}

/// The parts that are left out, as they do not fit the database, and the permissions that roles do not
/// inherit.
fn inconsistencies(service: &Service) -> Value {
    let mut objects: Vec<Value> = server::inconsistencies(service)
        .map(|note| {
            json!({
                "type": "metadata",
                "name": &*note.subject,
                "reason": &*note.message,
                "definition": &*note.subject,
            })
        })
        .collect();
    objects.extend(server::uninherited(service).iter().map(|uninherited| {
        let entity = match &uninherited.subject {
            UninheritedSubject::Change { change, table, source } => json!({
                "table": &**table,
                "source": &**source,
                "permission_type": change.word(),
            }),
            UninheritedSubject::RemoteSchema(name) => json!({ "remote_schema": &**name }),
        };
        json!({
            "reason": uninherited.to_string(),
            "name": &*uninherited.role,
            "type": "inherited role permission inconsistency",
            "entity": entity,
        })
    }));
    json!({ "is_consistent": objects.is_empty(), "inconsistent_objects": objects })
}

/// The metadata; without any, that of a server that tracks nothing by name.
fn exported(settings: &HasuraSettings) -> Value {
    let metadata = settings.metadata.as_ref().and_then(|packed| packed.read().metadata);
    match metadata {
        Some(metadata) => {
            serde_json::from_str(&metadata.to_json().compact()).unwrap_or(Value::Null)
        }
        None => json!({ "version": 3, "sources": [] }),
    }
}

/// The tables of the served database.
fn tables(service: &Service) -> Value {
    match &service.worker {
        ApiWorker::Source(worker) => {
            let tables = worker.engine().tables();
            tables.map(|(schema, name)| json!({ "name": name, "schema": schema })).collect()
        }
        ApiWorker::Gateway(_) => Value::Array(Vec::new()),
    }
}
