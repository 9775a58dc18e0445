//! Authentication of a socket: by the payload of `connection_init`, and else by the headers of the
//! handshake.
//!
//! The payload gives a token, as a member that has the name of the header for tokens, in any case;
//! the member may also be in an object `headers`. Nothing else is taken from it: a proxy in front of
//! the server decides about other headers. In the dialect hasura all members of `headers` count.

use engine::Caller;
use hyper::header::HeaderMap;
use serde_json_bytes::{ByteString, Map, Value as Json};
use tokio::time::Instant;

use crate::http::graphql::authenticate;
use crate::http::refusal::Refusal;
use crate::http::service::Service;

/// The client of a socket.
#[derive(Clone, Debug)]
pub(super) struct SocketCaller {
    pub(super) caller: Caller,
    /// The time at which its token expires, if it does.
    pub(super) until: Option<Instant>,
}

/// Authenticates the client by the headers of the handshake and the payload.
pub(super) async fn initialize(
    service: &Service,
    headers: HeaderMap,
    payload: &Map<ByteString, Json>,
) -> Result<SocketCaller, Refusal> {
    let headers = service.settings.credentials.headers_of_socket(headers, payload)?;
    let (caller, until) = authenticate(service, &headers, None).await?;
    Ok(SocketCaller { caller, until })
}
