//! Liveness and readiness probes, for supervisors and load balancers.

use std::sync::atomic::Ordering;

use hyper::{Method, StatusCode};

use super::media_type::MediaType;
use super::readiness::State;
use super::refusal::Refusal;
use super::respond::{Response, refuse, respond};
use super::service::Service;

/// Liveness: the process runs and accepts connections. The database is not checked.
pub(super) fn answer_live(method: &Method) -> Response {
    match is_reading(method) {
        true => respond(StatusCode::OK, MediaType::Json, b"{\"status\":\"live\"}".to_vec()),
        false => refuse_method(),
    }
}

/// Readiness: whether requests should be sent here. The schema is loaded, since the server would not
/// listen without it; the database answers; and the process is not shutting down.
pub(super) async fn answer_ready(service: &Service, method: &Method) -> Response {
    let process = &service.process;
    if !is_reading(method) {
        return refuse_method();
    }
    if process.is_stopping.load(Ordering::Relaxed) {
        return unready("the server is stopping");
    }
    if service.is_empty {
        return unready("the data source has nothing to serve yet");
    }
    match process.readiness.state().await {
        State::Reachable => {
            respond(StatusCode::OK, MediaType::Json, b"{\"status\":\"ready\"}".to_vec())
        }
        State::Unreachable => unready("the data source cannot be reached"),
        State::Silent => unready("the data source does not answer in time"),
    }
}

fn unready(reason: &str) -> Response {
    let body = ["{\"status\":\"unready\",\"reason\":\"", reason, "\"}"].concat();
    respond(StatusCode::SERVICE_UNAVAILABLE, MediaType::Json, body.into_bytes())
}

fn is_reading(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

fn refuse_method() -> Response {
    refuse(MediaType::Json, &Refusal::Method { allow: "GET, HEAD" })
}
