//! Which request gets which answer.

use std::net::SocketAddr;
use std::time::Instant;

use engine::{Allowed, Kind, Worker};
use graphql::Request;
use hyper::body::Incoming;
use hyper::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use hyper::{Method, StatusCode};

use super::body;
use super::media_type::{MediaType, is_readable, negotiate};
use super::respond::{Refusal, Response, complete, refuse, respond};

/// As much of an error as a line of the log shows.
const LOGGED_BYTES: usize = 500;

type HttpRequest = hyper::Request<Incoming>;

/// A GraphQL request with what HTTP says about it.
#[derive(Debug)]
struct Read {
    request: Request,
    /// Only queries by GET: browsers, caches and crawlers repeat it as they like.
    allowed: Allowed,
}

/// Answers one request; whatever it is, there is an answer.
pub(super) async fn answer(worker: &Worker, request: HttpRequest, peer: SocketAddr) -> Response {
    match request.uri().path() {
        "/graphql" => answer_graphql(worker, request, peer).await,
        "/health/live" => answer_live(request.method()),
        _ => refuse(MediaType::Json, &Refusal::Path),
    }
}

async fn answer_graphql(worker: &Worker, request: HttpRequest, peer: SocketAddr) -> Response {
    let started = Instant::now();
    let accept = request.headers().get_all(ACCEPT).iter();
    // A header that is no text names no media type.
    let media_type = negotiate(accept.map(|header| header.to_str().unwrap_or("?")));
    let method = request.method().clone();
    let read = match media_type {
        Some(_) => read(request).await,
        None => Err(Refusal::NotAcceptable),
    };
    let media_type = media_type.unwrap_or(MediaType::Json);
    match read {
        Ok(Read { request, allowed }) => {
            let response = worker.execute(&request, allowed).await;
            if response.kind != Kind::Executed {
                let operation = request.operation_name.as_deref().unwrap_or_default();
                let errors = String::from_utf8_lossy(
                    response.body.get(..LOGGED_BYTES).unwrap_or(&response.body),
                );
                let milliseconds = started.elapsed().as_millis();
                tracing::info!(%peer, %method, operation, milliseconds, %errors, "request refused");
            }
            complete(media_type, response)
        }
        Err(refusal) => {
            let status = refusal.status().as_u16();
            tracing::info!(%peer, %method, status, ?refusal, "request refused");
            refuse(media_type, &refusal)
        }
    }
}

async fn read(request: HttpRequest) -> Result<Read, Refusal> {
    match *request.method() {
        Method::POST => {
            check_content(request.headers())?;
            let (head, body) = request.into_parts();
            let bytes = body::read(&head.headers, body).await?;
            let request = Request::from_json(&bytes).map_err(Refusal::Malformed)?;
            Ok(Read { request, allowed: Allowed::All })
        }
        Method::GET | Method::HEAD => {
            let query_string = request.uri().query().unwrap_or_default();
            let request = Request::from_query_string(query_string).map_err(Refusal::Malformed)?;
            Ok(Read { request, allowed: Allowed::Queries })
        }
        _ => Err(Refusal::Method { allow: "GET, HEAD, POST" }),
    }
}

fn check_content(headers: &HeaderMap) -> Result<(), Refusal> {
    let content_type = headers.get(CONTENT_TYPE).and_then(|header| header.to_str().ok());
    if !content_type.is_some_and(is_readable) {
        return Err(Refusal::ContentType);
    }
    match headers.get(CONTENT_ENCODING).map(|header| header.as_bytes()) {
        None | Some(b"identity") => Ok(()),
        Some(_) => Err(Refusal::ContentEncoding),
    }
}

/// That the process runs and takes connections; it says nothing about the database.
fn answer_live(method: &Method) -> Response {
    match *method {
        Method::GET | Method::HEAD => {
            respond(StatusCode::OK, MediaType::Json, b"{\"status\":\"live\"}".to_vec())
        }
        _ => refuse(MediaType::Json, &Refusal::Method { allow: "GET, HEAD" }),
    }
}
