//! Which path gets which answer.

use hyper::body::Incoming;
use hyper::{Method, StatusCode};

use super::exchange::Exchange;
use super::graphql;
use super::media_type::MediaType;
use super::respond::{Refusal, Response, refuse, respond};
use super::service::Service;
use super::transport::Peer;

pub(super) type HttpRequest = hyper::Request<Incoming>;

/// Answers one request; whatever it is, there is an answer.
pub(super) async fn answer(service: &Service, request: HttpRequest, peer: Peer) -> Response {
    match request.uri().path() {
        "/graphql" => {
            let mut exchange = Exchange::new(peer, request.method().clone());
            let response = graphql::answer(service, request, &mut exchange).await;
            exchange.finish(&response);
            response
        }
        "/health/live" => answer_live(request.method()),
        _ => refuse(MediaType::Json, &Refusal::Path),
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
