//! A GraphQL request, from its head to its answer.

use engine::{Allowed, Kind};
use graphql::Request;
use hyper::Method;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap};

use super::accept_encoding::Readable;
use super::body;
use super::cors::{Permission, preflight};
use super::exchange::Exchange;
use super::media_type::{MediaType, is_readable, negotiate};
use super::origin;
use super::respond::{Refusal, Response, complete, refuse};
use super::route::HttpRequest;
use super::service::Service;

/// A GraphQL request with what HTTP says about it.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) request: Request,
    /// Only queries by GET: browsers, caches and crawlers repeat it as they like.
    pub(super) allowed: Allowed,
}

/// Answers one request, and tells the exchange what happened.
pub(super) async fn answer(
    service: &Service,
    request: HttpRequest,
    readable: Readable,
    exchange: &mut Exchange,
) -> Response {
    let Some(cors) = &service.settings.cors else {
        return answer_request(service, request, readable, exchange).await;
    };
    let permission = Permission::new(cors, request.headers());
    let mut response = match preflight(cors, request.method(), request.headers()) {
        Some(response) => response,
        None => answer_request(service, request, readable, exchange).await,
    };
    permission.tell(&mut response);
    response
}

async fn answer_request(
    service: &Service,
    request: HttpRequest,
    readable: Readable,
    exchange: &mut Exchange,
) -> Response {
    let accept = request.headers().get_all(ACCEPT).iter();
    // A header that is no text names no media type.
    let media_type = negotiate(accept.map(|header| header.to_str().unwrap_or("?")));
    let read = match media_type {
        _ if !may_be_sent(service, &request) => Err(Refusal::OtherOrigin),
        Some(_) if readable == Readable::Nothing => Err(Refusal::NoReadableCoding),
        Some(_) => read(service, request).await,
        None => Err(Refusal::NotAcceptable),
    };
    let media_type = media_type.unwrap_or(MediaType::Json);
    match read {
        Ok(Read { request, allowed }) => {
            let report = &mut exchange.report;
            let response = service.worker.execute_reported(&request, allowed, report).await;
            exchange.operation_name = request.operation_name;
            if response.kind != Kind::Executed {
                exchange.refused(&response.body);
            }
            complete(media_type, response)
        }
        Err(refusal) => {
            let response = refuse(media_type, &refusal);
            exchange.refusal = Some(refusal);
            response
        }
    }
}

/// Whether the page that sends the request may, if one does. Other methods do nothing.
pub(super) fn may_be_sent(service: &Service, request: &HttpRequest) -> bool {
    let allowed = &service.settings.allowed_origins;
    !matches!(*request.method(), Method::GET | Method::HEAD | Method::POST)
        || origin::is_allowed(allowed, request.uri(), request.headers())
}

pub(super) async fn read(service: &Service, request: HttpRequest) -> Result<Read, Refusal> {
    match *request.method() {
        Method::POST => {
            check_content(request.headers())?;
            let (head, body) = request.into_parts();
            let bytes = body::read(service.settings.body, &head.headers, body).await?;
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
    match content_type.is_some_and(is_readable) {
        true => Ok(()),
        false => Err(Refusal::ContentType),
    }
}
