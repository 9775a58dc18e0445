//! GraphQL over WebSockets.
//!
//! * `handshake`: checks of the HTTP request by which a connection becomes a WebSocket
//! * `subprotocol`: the three protocols
//! * `message`: their messages, as one closed set
//! * `wire`: frames in both directions
//! * `init`: authentication by the first message
//! * `socket`: the state machine of a socket
//! * `close_code`: codes with which the server closes a socket

mod close_code;
mod handshake;
mod init;
mod message;
mod socket;
mod subprotocol;
mod wire;

use std::pin::pin;

use hyper::header::HeaderMap;

use self::close_code::CloseCode;
pub(super) use self::handshake::{answer, is_handshake};
use self::socket::{End, Socket};
use self::subprotocol::Subprotocol;
use self::wire::Wire;
use super::closing;
use super::connection_context::ConnectionContext;
use super::monitored_transport::MonitoredTransport;
use super::timeouts::{CloseReason, Phase, run_with_timeouts};
use crate::metrics::Open;

/// Serves a connection as a WebSocket, whose client has sent some bytes after the handshake.
pub(super) async fn serve(
    context: &ConnectionContext,
    handshake: HeaderMap,
    transport: MonitoredTransport,
    received: Vec<u8>,
) {
    let ConnectionContext { peer, state, current, .. } = context;
    state.enter(Phase::Socket);
    let _open = current.get().shard.as_ref().map(|shard| shard.open(Open::Socket));
    let most_bytes = current.get().settings.body.most_bytes;
    let mut wire = Wire::new(transport, received, most_bytes).await;
    let ended = {
        let mut served = pin!(run(context, handshake, &mut wire));
        run_with_timeouts(state, || current.get().settings.timeouts, &mut served).await
    };
    let mut watched = wire.into_transport();
    match ended {
        Ok(End::Dead) => {
            tracing::debug!(%peer, "socket reset: the client answers no pings");
            watched.transport.reset();
        }
        Ok(End::Ended | End::Close(_)) if watched.is_at_end => {}
        Ok(End::Ended | End::Close(_)) => closing::close(&mut watched.transport).await,
        Err(CloseReason::Stalled) => context.reset_stalled(&watched.transport),
        // A socket has no such limits.
        Err(CloseReason::Idle | CloseReason::HeadTimeout) => {}
    }
}

async fn run(context: &ConnectionContext, handshake: HeaderMap, wire: &mut Wire) -> End {
    let end = match Subprotocol::negotiate(&handshake) {
        Some(subprotocol) => Socket::new(context, wire, subprotocol, handshake).run().await,
        None => End::Close(CloseCode::Subprotocol),
    };
    if let End::Close(code) = &end {
        tracing::debug!(peer = %context.peer, ?code, "a socket is closed");
        wire.close(code).await;
    }
    end
}
