//! Resolution of host names to permitted addresses.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper_util::client::legacy::connect::dns::Name;
use tokio::net::lookup_host;
use tower_service::Service;

use super::network::is_private;
use super::{Egress, EgressSettings};

/// Resolves names, and leaves out private addresses that are not allowed.
#[derive(Clone, Debug)]
pub(super) struct PermittedAddresses(pub(super) Arc<Egress>);

/// The host has private addresses only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the host has a private address, and its network is not allowed")]
pub(super) struct PrivateAddress;

impl EgressSettings {
    /// Returns true if connections to an address are permitted.
    pub(super) fn permits(&self, address: IpAddr) -> bool {
        !is_private(address) || self.networks.iter().any(|network| network.contains(address))
    }
}

impl Service<Name> for PermittedAddresses {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let egress = Arc::clone(&self.0);
        Box::pin(async move {
            // The connector sets the port.
            let found: Vec<SocketAddr> = lookup_host((name.as_str(), 0)).await?.collect();
            let is_found = !found.is_empty();
            let permitted = found.into_iter().filter(|one| egress.settings.permits(one.ip()));
            let permitted: Vec<SocketAddr> = permitted.collect();
            match permitted.is_empty() && is_found {
                true => Err(io::Error::new(io::ErrorKind::PermissionDenied, PrivateAddress)),
                false => Ok(permitted.into_iter()),
            }
        })
    }
}
