//! One socket a thread, all at the same address: the kernel shares out the connections.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::num::NonZeroUsize;

use socket2::{Domain, Protocol, Socket, Type};

use crate::options::Address;

/// The most connections that wait to be accepted; the kernel has a limit of its own.
const BACKLOG: i32 = 1024;

/// Sockets that already take connections, one for each thread.
#[derive(Debug)]
pub(crate) struct Listeners {
    /// With the port that was chosen, where the option said 0.
    pub(crate) address: SocketAddr,
    pub(crate) sockets: Vec<TcpListener>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ListenError {
    #[error("another program uses {0} already; choose another address with --listen")]
    InUse(String),
    #[error("cannot listen at {address}: {error}; choose another address with --listen")]
    Refused { address: String, error: io::Error },
}

/// Takes the address for this process.
pub(crate) fn bind(address: &Address, count: NonZeroUsize) -> Result<Listeners, ListenError> {
    bind_sockets(address.socket, count).map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => ListenError::InUse(address.text.clone()),
        _ => ListenError::Refused { address: address.text.clone(), error },
    })
}

fn bind_sockets(mut address: SocketAddr, count: NonZeroUsize) -> io::Result<Listeners> {
    // Sockets that share their port share it with those of other processes of the same user too:
    // a second server would take away half of the first one's connections without a word. One
    // that does not share tells whether the port is free.
    drop(TcpListener::bind(address)?);
    let mut sockets = Vec::with_capacity(count.get());
    for _ in 0..count.get() {
        let socket = bind_shared(address)?;
        // Where the port was 0, the first socket has chosen it for all.
        address = socket.local_addr()?;
        sockets.push(socket);
    }
    Ok(Listeners { address, sockets })
}

fn bind_shared(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

impl Listeners {
    /// Where a program on this machine finds the API.
    pub(crate) fn url(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address.ip() {
                IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
        }
        format!("http://{address}/graphql")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free_address() -> Address {
        "127.0.0.1:0".parse().unwrap()
    }

    #[test]
    fn all_sockets_have_the_same_port() {
        let listeners = bind(&free_address(), NonZeroUsize::new(3).unwrap()).unwrap();
        let addresses: Vec<_> =
            listeners.sockets.iter().map(|socket| socket.local_addr().unwrap()).collect();
        assert_eq!(addresses, [listeners.address; 3]);
    }

    #[test]
    fn a_port_is_not_shared_with_another_server() {
        let first = bind(&free_address(), NonZeroUsize::MIN).unwrap();
        let again: Address = first.address.to_string().parse().unwrap();
        let error = bind(&again, NonZeroUsize::MIN).unwrap_err().to_string();
        let expected = format!(
            "another program uses {} already; choose another address with --listen",
            first.address
        );
        assert_eq!(error, expected);
    }
}
