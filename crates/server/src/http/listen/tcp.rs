//! One socket a thread, all at the same address: the kernel shares out the connections.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use rustix::io::Errno;
use socket2::{Domain, Protocol, TcpKeepalive, Type};

use super::{BACKLOG, Bound, Listeners, Scheme, Socket};

/// How often a free port is looked for that is free at all addresses of a name.
const ATTEMPTS: usize = 10;

/// After so much silence the kernel asks whether the other end is there at all.
const SILENCE: Duration = Duration::from_secs(60);
/// And again so often, then it gives the connection up.
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
            // The port that was free at the first address is not at another one.
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
            // A name has an address of version 6 even where the machine has none.
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
    // Sockets that share their port share it with those of other processes of the same user too:
    // a second server would take away half of the first one's connections without a word. One
    // that does not share tells whether the port is free.
    drop(bind_one(address, is_single, false)?);
    let mut sockets = Vec::with_capacity(count);
    for _ in 0..count {
        let socket = bind_one(address, is_single, true)?;
        socket.listen(BACKLOG)?;
        let socket: TcpListener = socket.into();
        // Where the port was 0, the first socket has chosen it for all.
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
    // Its connections have the same.
    let probes =
        TcpKeepalive::new().with_time(SILENCE).with_interval(PROBE_INTERVAL).with_retries(PROBES);
    socket.set_tcp_keepalive(&probes)?;
    socket.bind(&address.into())?;
    Ok(socket)
}
