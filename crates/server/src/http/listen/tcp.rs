//! One socket per thread, all at the same address: the kernel distributes the connections.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use rustix::io::Errno;
use socket2::{Domain, Protocol, TcpKeepalive, Type};

use super::{BACKLOG, Bound, Listeners, Scheme, Socket};

/// Attempts to find a port that is free at all addresses of a name.
const ATTEMPTS: usize = 10;

/// Idle time after which the kernel probes the connection (TCP keep-alive).
const SILENCE: Duration = Duration::from_secs(60);
/// Interval and number of probes before the kernel closes it.
const PROBE_INTERVAL: Duration = Duration::from_secs(15);
const PROBES: u32 = 4;

/// Listens at all addresses of a name, at the same port.
pub(super) fn bind(
    listeners: &mut Listeners,
    scheme: Scheme,
    addresses: &[SocketAddr],
    ports_of_version_4: &[u16],
) -> io::Result<()> {
    let mut attempts = 0;
    loop {
        attempts += 1;
        let taken = take(listeners, scheme, addresses, ports_of_version_4);
        let is_chosen = addresses.iter().all(|address| address.port() == 0);
        match taken {
            // The port that is free at the first address is taken at another one.
            Err(error)
                if is_chosen
                    && addresses.len() > 1
                    && error.kind() == io::ErrorKind::AddrInUse
                    && attempts < ATTEMPTS => {}
            Err(error) => return Err(error),
            Ok(taken) => {
                for (address, sockets) in taken {
                    listeners.places.push(Bound::Tcp(scheme, address));
                    for (thread, socket) in listeners.threads.iter_mut().zip(sockets) {
                        thread.push(Socket::Tcp(socket));
                    }
                }
                return Ok(());
            }
        }
    }
}

/// The sockets at each address, one for each thread.
type Taken = Vec<(SocketAddr, Vec<TcpListener>)>;

fn take(
    listeners: &Listeners,
    scheme: Scheme,
    addresses: &[SocketAddr],
    ports_of_version_4: &[u16],
) -> io::Result<Taken> {
    let mut taken: Taken = Vec::new();
    let mut missing = None;
    for address in addresses {
        let mut address = *address;
        let is_single = address.is_ipv6() && ports_of_version_4.contains(&address.port());
        if let Some((first, _)) = taken.first()
            && address.port() == 0
        {
            address.set_port(first.port());
        }
        if listeners.places.contains(&Bound::Tcp(scheme, address)) {
            continue;
        }
        match bind_all(address, is_single, listeners.threads.len()) {
            Ok(sockets) => taken.push(sockets),
            // A name can have an IPv6 address even if the machine has none.
            Err(error) if is_absent(&error) && addresses.len() > 1 => {
                tracing::debug!(%address, %error, "an address of the name is not of this machine");
                missing = Some(error);
            }
            Err(error) => return Err(error),
        }
    }
    match missing {
        Some(error) if taken.is_empty() => Err(error),
        Some(_) | None => Ok(taken),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::AddrNotAvailable | io::ErrorKind::Unsupported)
        || error.raw_os_error() == Some(Errno::AFNOSUPPORT.raw_os_error())
}

fn bind_all(
    mut address: SocketAddr,
    is_single: bool,
    count: usize,
) -> io::Result<(SocketAddr, Vec<TcpListener>)> {
    // Sockets that share a port also share it with other processes of the same user: a second server
    // would silently get half of the first one's connections. A socket that does not share it shows
    // whether the port is free.
    drop(bind_one(address, is_single, false)?);
    let mut sockets = Vec::with_capacity(count);
    for _ in 0..count {
        let socket = bind_one(address, is_single, true)?;
        socket.listen(BACKLOG)?;
        let socket: TcpListener = socket.into();
        // If the port was 0, the first socket has chosen it for all.
        address = socket.local_addr()?;
        sockets.push(socket);
    }
    Ok((address, sockets))
}

fn bind_one(address: SocketAddr, is_single: bool, is_shared: bool) -> io::Result<socket2::Socket> {
    let domain = Domain::for_address(address);
    let socket = socket2::Socket::new(domain, Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(is_shared)?;
    socket.set_nonblocking(true)?;
    if is_single {
        socket.set_only_v6(true)?;
    }
    // Accepted connections inherit this.
    let probes =
        TcpKeepalive::new().with_time(SILENCE).with_interval(PROBE_INTERVAL).with_retries(PROBES);
    socket.set_tcp_keepalive(&probes)?;
    socket.bind(&address.into())?;
    Ok(socket)
}
