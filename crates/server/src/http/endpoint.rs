//! What endpoints beside GraphQL have in common: cross-origin requests, and their bodies.

use hyper::body::Incoming;
use hyper::header::HeaderMap;

use super::body;
use super::connection_context::ConnectionContext;
use super::cors::{Permission, preflight};
use super::exchange::HttpRequest;
use super::refusal::Refusal;
use super::respond::Response;
use super::service::Service;

/// Answers a request, or the question of a browser whether a page may send it.
pub(super) async fn answer(
    service: &Service,
    request: HttpRequest,
    work: impl AsyncFnOnce(HttpRequest) -> Response,
) -> Response {
    let cors = service.settings.cors.as_ref();
    let permission = cors.map(|cors| Permission::new(cors, request.headers()));
    let preflight = cors.and_then(|cors| preflight(cors, request.method(), request.headers()));
    let mut response = match preflight {
        Some(response) => response,
        None => work(request).await,
    };
    if let Some(permission) = permission {
        permission.add_headers(&mut response);
    }
    response
}

/// The body of a request.
pub(super) async fn read_body(
    service: &Service,
    context: &ConnectionContext,
    headers: &HeaderMap,
    body: Incoming,
) -> Result<Vec<u8>, Refusal> {
    let (settings, bodies) = (service.settings.body, &service.process.bodies);
    let read = body::read(settings, bodies, &context.state, headers, body).await?;
    Ok(read.bytes)
}
