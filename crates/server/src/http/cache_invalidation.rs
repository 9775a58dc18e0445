//! The endpoint that invalidates cached responses of subgraphs: `POST /cache/invalidate`.
//!
//! Requests have a secret instead of a token, so hosts and origins are not checked.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use engine::ApiWorker;
use engine::gateway::response_cache::invalidation::{Invalidation, InvalidationError};
use graphql::{ErrorCode, GraphQLError};
use hyper::header::{AUTHORIZATION, HeaderMap};
use hyper::{Method, StatusCode};
use serde_json::json;

use super::body::{self, ReadBody};
use super::exchange::HttpRequest;
use super::media_type::MediaType;
use super::refusal::Refusal;
use super::respond::{Response, refuse, respond};
use super::service::Service;
use super::timeouts::ConnectionState;
use crate::options::CacheSecret;

pub(super) const PATH: &str = "/cache/invalidate";

/// The most invalidations of a request.
const MOST: usize = 1_000;

/// Answers a request to invalidate responses: a JSON object, or a list of objects.
pub(super) async fn answer(
    service: &Service,
    secret: &CacheSecret,
    request: HttpRequest,
    state: &ConnectionState,
) -> Response {
    if *request.method() != Method::POST {
        return refuse(MediaType::Json, &Refusal::Method { allow: "POST" });
    }
    let is_known = has_secret(request.headers(), secret);
    let (head, body) = request.into_parts();
    let settings = service.settings.body;
    let read = body::read(settings, &service.process.bodies, state, &head.headers, body).await;
    if !is_known {
        let message = "The secret of the cache is wanted: `Authorization: Bearer SECRET` \
                       (--subgraph-cache-secret).";
        return fail(StatusCode::UNAUTHORIZED, ErrorCode::Unauthenticated, message);
    }
    let ReadBody { bytes, memory: _memory } = match read {
        Ok(read) => read,
        Err(refusal) => return refuse(MediaType::Json, &refusal),
    };
    let requests = match parse(&bytes) {
        Ok(requests) => requests,
        Err(message) => return fail(StatusCode::BAD_REQUEST, ErrorCode::BadUserInput, &message),
    };
    let ApiWorker::Gateway(worker) = &service.worker else {
        return refuse(MediaType::Json, &Refusal::Path);
    };
    match worker.gateway().invalidate(&requests).await {
        Ok(()) => {
            tracing::info!(requests = requests.len(), "cached responses were invalidated");
            let body = json!({ "invalidated": requests.len() }).to_string();
            respond(StatusCode::ACCEPTED, MediaType::Json, body.into_bytes())
        }
        Err(error) => {
            let (status, code) = match error {
                InvalidationError::Unavailable => {
                    (StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Unavailable)
                }
                InvalidationError::NoCache
                | InvalidationError::Subgraph(_)
                | InvalidationError::Type { .. }
                | InvalidationError::NoSubgraphs
                | InvalidationError::Key => (StatusCode::BAD_REQUEST, ErrorCode::BadUserInput),
            };
            fail(status, code, &format!("Nothing was invalidated: {error}."))
        }
    }
}

/// Whether a request has the secret, by itself or as a bearer token.
fn has_secret(headers: &HeaderMap, secret: &CacheSecret) -> bool {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (Some(given), None) = (given.next(), given.next()) else { return false };
    let given = given.as_bytes();
    let given = given.strip_prefix(b"Bearer ").unwrap_or(given);
    verify_slices_are_equal(given, secret.as_bytes()).is_ok()
}

fn parse(bytes: &[u8]) -> Result<Vec<Invalidation>, String> {
    let is_list = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    let parsed = match is_list {
        true => serde_json::from_slice::<Vec<Invalidation>>(bytes),
        false => serde_json::from_slice::<Invalidation>(bytes).map(|one| vec![one]),
    };
    let requests = parsed.map_err(|error| {
        format!(
            "Invalidations are wanted, such as {{\"kind\":\"type\",\"subgraph\":\"products\",\
             \"type\":\"Product\"}}: {error}."
        )
    })?;
    match requests.len() {
        1..=MOST => Ok(requests),
        _ => Err(format!("1 to {MOST} invalidations are wanted in one request.")),
    }
}

fn fail(status: StatusCode, code: ErrorCode, message: &str) -> Response {
    let mut body = b"{\"errors\":[".to_vec();
    GraphQLError::new(code, message).write_json(&mut body);
    body.extend_from_slice(b"]}");
    respond(status, MediaType::Json, body)
}
