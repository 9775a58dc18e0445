//! A connection, as its requests see it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use hyper::Version;
use hyper::header::HeaderMap;

use super::client_address::ClientAddress;
use super::listen::Purpose;
use super::service::Current;
use super::timeouts::ConnectionState;
use super::transport::{Peer, Transport};

#[derive(Debug)]
pub(super) struct ConnectionContext {
    pub(super) peer: Peer,
    /// The version of HTTP.
    pub(super) version: Version,
    /// Requests that it serves.
    pub(super) purpose: Purpose,
    pub(super) state: Rc<ConnectionState>,
    /// The newest generation, for answers that outlive a reload.
    pub(super) current: Current,
    /// The headers of an accepted handshake: after its response, the connection is a WebSocket.
    pub(super) handshake: RefCell<Option<Box<HeaderMap>>>,
    /// The client of a WebSocket behind proxies, by its handshake.
    pub(super) client_address: Cell<Option<ClientAddress>>,
}

impl ConnectionContext {
    /// The same connection for a request of the Relay API.
    pub(super) fn of_relay(&self) -> Rc<Self> {
        let Self { peer, version, purpose, state, current, handshake: _, client_address } = self;
        Rc::new(Self {
            peer: *peer,
            version: *version,
            purpose: *purpose,
            state: Rc::clone(state),
            current: current.of_relay(),
            handshake: RefCell::default(),
            client_address: client_address.clone(),
        })
    }

    /// Takes over the handshake of a request of the Relay API.
    pub(super) fn take_handshake(&self, relay: &Self) {
        if let Some(headers) = relay.handshake.take() {
            self.client_address.set(relay.client_address.get());
            self.handshake.replace(Some(headers));
            self.current.serve_relay();
        }
    }

    /// The other end of a WebSocket, and the client of its operations.
    pub(super) fn socket_client(&self) -> (Peer, ClientAddress) {
        let address = self.client_address.get();
        (self.peer, address.unwrap_or_else(|| ClientAddress::of_peer(self.peer)))
    }

    /// Resets the connection of a client that does not read.
    pub(super) fn reset_stalled(&self, transport: &Transport) {
        let patience = self.current.get().settings.timeouts.stall;
        let peer = self.peer;
        tracing::info!(%peer, ?patience, "connection reset: the client does not read its response");
        transport.reset();
    }
}
