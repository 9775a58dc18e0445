//! The handshake of a WebSocket: <https://www.rfc-editor.org/rfc/rfc6455#section-4.2>.
//!
//! It obeys the checks of other requests: the host, the origin, and a token in a header. A cookie is
//! checked when the connection is initialized, since a token in the payload replaces it: pages cannot
//! set headers of a handshake.

use hyper::header::{
    CONNECTION, COOKIE, HeaderMap, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT,
    SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use hyper::{Method, StatusCode, Version};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::subprotocol::Subprotocol;
use crate::http::answer_body::AnswerBody;
use crate::http::connection_context::ConnectionContext;
use crate::http::exchange::{Exchange, HttpRequest};
use crate::http::graphql;
use crate::http::media_type::MediaType;
use crate::http::refusal::Refusal;
use crate::http::respond::{Response, refuse_in};
use crate::http::service::Service;

/// The length of a key: 16 bytes in base64.
const KEY_LENGTH: usize = 24;

/// Returns true if the request asks for a WebSocket.
pub(in crate::http) fn is_handshake(request: &HttpRequest) -> bool {
    *request.method() == Method::GET && names(request.headers(), &UPGRADE, "websocket")
}

/// Accepts or refuses a handshake. The context of the connection keeps the headers of an accepted one.
pub(in crate::http) async fn answer(
    service: &Service,
    request: HttpRequest,
    exchange: &mut Exchange,
    context: &ConnectionContext,
) -> Response {
    match accept(service, request, context).await {
        Ok((response, headers)) => {
            context.client_address.set(Some(exchange.client_address));
            context.handshake.replace(Some(Box::new(headers)));
            response
        }
        Err(refusal) => {
            service.count_refused(&refusal);
            let mut response = refuse_in(service.worker.error_form(), MediaType::Json, &refusal);
            // Prisma's status of a refused token, 200, says nothing to clients of sockets.
            if let Refusal::ServiceToken(_) = refusal {
                *response.status_mut() = StatusCode::UNAUTHORIZED;
            }
            exchange.refusal = Some(refusal);
            response
        }
    }
}

async fn accept(
    service: &Service,
    request: HttpRequest,
    context: &ConnectionContext,
) -> Result<(Response, HeaderMap), Refusal> {
    if !graphql::is_allowed_origin(service, &request, context.peer) {
        return Err(Refusal::OtherOrigin);
    }
    let key = check(&request)?;
    let (head, _) = request.into_parts();
    check_token(service, &head.headers).await?;
    let mut response = Response::new(AnswerBody::Whole(bytes::Bytes::new()));
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(SEC_WEBSOCKET_ACCEPT, key);
    // Without a known one, the socket is closed with a code.
    if let Some(subprotocol) = Subprotocol::negotiate(&head.headers) {
        let name = HeaderValue::from_static(subprotocol.name());
        headers.insert(SEC_WEBSOCKET_PROTOCOL, name);
    }
    Ok((response, head.headers))
}

/// Checks the form of the handshake, and returns the key of the response.
fn check(request: &HttpRequest) -> Result<HeaderValue, Refusal> {
    let headers = request.headers();
    if headers.get(SEC_WEBSOCKET_VERSION).is_none_or(|version| version != "13") {
        return Err(Refusal::SocketVersion);
    }
    let key = headers.get(SEC_WEBSOCKET_KEY).filter(|key| key.len() == KEY_LENGTH);
    let is_valid = request.version() == Version::HTTP_11 && names(headers, &CONNECTION, "upgrade");
    let key = key.filter(|_| is_valid).ok_or(Refusal::SocketHandshake)?;
    let accepted = derive_accept_key(key.as_bytes());
    HeaderValue::from_str(&accepted).map_err(|_| Refusal::SocketHandshake)
}

/// Checks the token of a header, if there is one: the payload of the first message may have another.
async fn check_token(service: &Service, headers: &HeaderMap) -> Result<(), Refusal> {
    let mut without_cookies = headers.clone();
    without_cookies.remove(COOKIE);
    service.settings.credentials.check_handshake(&without_cookies).await
}

/// Returns true if a header is a list with a token of this name.
fn names(headers: &HeaderMap, header: &HeaderName, name: &str) -> bool {
    let values = headers.get_all(header).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|token| token.trim().eq_ignore_ascii_case(name))
}
