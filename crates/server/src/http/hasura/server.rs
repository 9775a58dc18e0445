//! Version, health and configuration of the server.

use catalog::{Note, NoteKind};
use engine::{ApiWorker, Engine, Uninherited};
use hyper::StatusCode;
use serde_json::json;

use super::{HasuraSettings, VERSION};
use crate::http::readiness::State;
use crate::http::respond::Response;
use crate::http::service::Service;

/// The version of the API.
pub(super) fn version() -> Response {
    super::json(StatusCode::OK, &json!({ "version": VERSION, "server_type": "ce" }))
}

/// Whether the database answers, and all of the metadata fits it. Parts that are left out are an
/// error with `?strict=true`, else a warning.
pub(super) async fn health(service: &Service, query: Option<&str>) -> Response {
    let is_strict = form_urlencoded::parse(query.unwrap_or_default().as_bytes())
        .any(|(name, value)| name == "strict" && value == "true");
    match service.process.readiness.state().await {
        State::Unreachable | State::Silent => {
            super::text(StatusCode::INTERNAL_SERVER_ERROR, "ERROR")
        }
        State::Reachable if is_consistent(service) => super::text(StatusCode::OK, "OK"),
        State::Reachable if is_strict => {
            super::text(StatusCode::INTERNAL_SERVER_ERROR, "ERROR: inconsistent objects in schema")
        }
        State::Reachable => super::text(StatusCode::OK, "WARN: inconsistent objects in schema"),
    }
}

fn is_consistent(service: &Service) -> bool {
    inconsistencies(service).next().is_none() && uninherited(service).is_empty()
}

/// The parts of the metadata that are left out, as they do not fit the database.
pub(super) fn inconsistencies(service: &Service) -> impl Iterator<Item = &Note> {
    let notes = engine(service).into_iter().flat_map(|engine| engine.notes());
    notes.filter(|note| note.kind == NoteKind::Inconsistent)
}

/// The permissions that roles do not inherit.
pub(super) fn uninherited(service: &Service) -> &[Uninherited] {
    engine(service).map_or(&[], |engine| engine.uninherited())
}

fn engine(service: &Service) -> Option<&Engine> {
    match &service.worker {
        ApiWorker::Source(worker) => Some(worker.engine()),
        ApiWorker::Gateway(_) => None,
    }
}

/// The settings that the console reads.
pub(super) fn configuration(service: &Service, settings: &HasuraSettings) -> Response {
    let credentials = service.settings.credentials.used();
    let body = json!({
        "version": VERSION,
        "is_function_permissions_inferred": settings.infers_functions,
        "is_remote_schema_permissions_enabled": true,
        "is_admin_secret_set": credentials.has_admin_secret,
        "is_auth_hook_set": credentials.has_webhook,
        "is_jwt_set": credentials.has_tokens,
        "jwt": null,
        "is_allow_list_enabled": settings.allow_list.is_some(),
        // Changes push the results of live queries; they are not polled.
        "live_queries": { "batch_size": null, "refetch_delay": null },
        "streaming_queries": { "batch_size": null, "refetch_delay": null },
        "console_assets_dir": null,
        "experimental_features": [],
        "is_prometheus_metrics_enabled": true,
        "default_naming_convention": "hasura-default",
        "feature_flags": [],
        "is_apollo_federation_enabled": false,
    });
    super::json(StatusCode::OK, &body)
}
