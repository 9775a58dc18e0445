//! Version, health and configuration of the server.

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

/// Whether the database answers. Metadata that does not fit is refused at the start, so
/// `?strict=true` has nothing more to look at.
pub(super) async fn health(service: &Service) -> Response {
    match service.process.readiness.state().await {
        State::Reachable => super::text(StatusCode::OK, "OK"),
        State::Unreachable | State::Silent => {
            super::text(StatusCode::INTERNAL_SERVER_ERROR, "ERROR")
        }
    }
}

/// The settings that the console reads.
pub(super) fn configuration(service: &Service, settings: &HasuraSettings) -> Response {
    let credentials = service.settings.credentials.used();
    let body = json!({
        "version": VERSION,
        "is_function_permissions_inferred": true,
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
