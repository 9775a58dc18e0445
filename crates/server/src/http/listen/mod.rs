//! Listening sockets.
//!
//! * `tcp`: one socket per thread at each address; the kernel distributes the connections
//! * `unix`: one socket at a path, shared by the threads

mod tcp;
mod unix;

use std::fmt;
use std::io;
use std::mem;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

use self::unix::SocketFile;
use crate::failure::Failure;
use crate::options::{Address, Mode, Place, ServingOptions};

/// The length of the listen queue; the kernel has a limit of its own.
const BACKLOG: i32 = 1024;

/// The option with the addresses of the API.
const LISTEN: &str = "--listen";

/// Sockets that accept connections.
#[derive(Debug)]
pub(crate) struct Listeners {
    /// Never empty; in the order of the options, with the ports that the kernel chose for 0.
    pub(crate) places: Vec<Bound>,
    /// Addresses of the callback endpoint, if it has its own.
    pub(super) callback_places: Vec<Bound>,
    /// The sockets of each thread; never empty.
    threads: Vec<Vec<Socket>>,
    /// The sockets of each thread for callbacks; empty without such sockets.
    callbacks: Vec<Vec<Socket>>,
    /// Removed at shutdown.
    files: Vec<SocketFile>,
}

/// An address at which the server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Tcp(Scheme, SocketAddr),
    Unix(PathBuf),
}

/// The scheme of URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    Https,
}

/// Requests that a socket serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Api,
    /// The callback endpoint only.
    Callbacks,
}

#[derive(Debug)]
pub(super) enum Socket {
    Tcp(TcpListener),
    Unix(UnixListener),
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ListenError {
    #[error("there is no address to listen at; name one with --listen")]
    Nowhere,
    #[error("another program uses {address} already; choose another address with {option}")]
    InUse { address: String, option: &'static str },
    #[error(
        "cannot listen at {address}: {error}; {}choose another address with {option}",
        privilege(error)
    )]
    Refused { address: String, option: &'static str, error: io::Error },
    #[error("cannot listen at {0}: the file is not a socket; choose another path")]
    NoSocket(String),
}

/// The reason of a refusal that depends on the number of the port.
fn privilege(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "ports below 1024 need a privilege: ",
        _ => "",
    }
}

impl From<ListenError> for Failure {
    fn from(error: ListenError) -> Self {
        Self::other(error)
    }
}

/// Binds the addresses of the options.
pub(crate) fn bind(options: &ServingOptions) -> Result<Listeners, ListenError> {
    bind_all(&options.listen, LISTEN, scheme(options), options.unix_socket_mode, options.threads())
}

/// Binds further addresses, for the callback endpoint.
pub(crate) fn bind_callbacks(
    listeners: Listeners,
    addresses: &[Address],
    options: &ServingOptions,
) -> Result<Listeners, ListenError> {
    if addresses.is_empty() {
        return Ok(listeners);
    }
    let (mode, threads) = (options.unix_socket_mode, options.threads());
    let own = bind_all(addresses, "--callback-listen", scheme(options), mode, threads)?;
    let mut files = listeners.files;
    files.extend(own.files);
    Ok(Listeners { callback_places: own.places, callbacks: own.threads, files, ..listeners })
}

fn scheme(options: &ServingOptions) -> Scheme {
    match options.tls.files() {
        Some(_) => Scheme::Https,
        None => Scheme::Http,
    }
}

fn bind_all(
    addresses: &[Address],
    option: &'static str,
    scheme: Scheme,
    mode: Option<Mode>,
    count: NonZeroUsize,
) -> Result<Listeners, ListenError> {
    if addresses.is_empty() {
        return Err(ListenError::Nowhere);
    }
    let mut listeners = Listeners {
        places: Vec::new(),
        callback_places: Vec::new(),
        threads: (0..count.get()).map(|_| Vec::new()).collect(),
        callbacks: Vec::new(),
        files: Vec::new(),
    };
    for address in addresses {
        let refused = |error: io::Error| match error.kind() {
            io::ErrorKind::AddrInUse => {
                ListenError::InUse { address: address.text.clone(), option }
            }
            _ => ListenError::Refused { address: address.text.clone(), option, error },
        };
        match &address.place {
            Place::Tcp(sockets) => {
                let others = ports_of_version_4(addresses);
                tcp::bind(&mut listeners, scheme, sockets, &others).map_err(refused)?;
            }
            Place::Unix(path) => {
                if !unix::is_free(path).map_err(refused)? {
                    return Err(ListenError::NoSocket(address.text.clone()));
                }
                unix::bind(&mut listeners, path, mode).map_err(refused)?;
            }
        }
    }
    Ok(listeners)
}

/// Ports of IPv4 addresses that are listed: `[::]` must not bind them too.
fn ports_of_version_4(addresses: &[Address]) -> Vec<u16> {
    let sockets = addresses.iter().flat_map(|address| match &address.place {
        Place::Tcp(sockets) => sockets.as_slice(),
        Place::Unix(_) => &[],
    });
    sockets.filter(|socket| socket.is_ipv4()).map(SocketAddr::port).collect()
}

impl Listeners {
    /// An address for examples.
    pub(crate) fn first(&self) -> &Bound {
        &self.places[0]
    }

    /// Takes the sockets of each thread.
    pub(super) fn take_threads(&mut self) -> Vec<Vec<(Purpose, Socket)>> {
        let mut callbacks = mem::take(&mut self.callbacks).into_iter();
        let threads = mem::take(&mut self.threads).into_iter().map(|sockets| {
            let api = sockets.into_iter().map(|socket| (Purpose::Api, socket));
            let own = callbacks.next().unwrap_or_default().into_iter();
            api.chain(own.map(|socket| (Purpose::Callbacks, socket))).collect()
        });
        threads.collect()
    }

    /// The number of threads.
    pub(super) fn count(&self) -> usize {
        self.threads.len()
    }

    /// Removes the socket files, so that no more clients connect.
    pub(super) fn remove_files(&mut self) {
        self.files.clear();
    }
}

impl Bound {
    /// The URL of GraphiQL for a browser on this machine; browsers cannot reach Unix sockets.
    pub(crate) fn page(&self) -> Option<String> {
        match self {
            Self::Tcp(..) => self.to_string().strip_suffix("graphql").map(str::to_owned),
            Self::Unix(_) => None,
        }
    }

    /// The place without a path.
    pub(super) fn origin(&self) -> String {
        self.page().map_or_else(|| self.to_string(), |page| page.trim_end_matches('/').to_owned())
    }

    /// The `curl` command that reaches the API from this machine.
    pub(crate) fn curl(&self) -> String {
        match self {
            Self::Tcp(..) => format!("curl {self}"),
            Self::Unix(path) => {
                format!("curl --unix-socket '{}' http://localhost/graphql", path.display())
            }
        }
    }
}

/// The URL of the API for a program on this machine.
impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(scheme, address) => {
                let mut address = *address;
                if address.ip().is_unspecified() {
                    address.set_ip(match address.ip() {
                        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
                    });
                }
                let scheme = match scheme {
                    Scheme::Http => "http",
                    Scheme::Https => "https",
                };
                write!(f, "{scheme}://{address}/graphql")
            }
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bind_one(text: &str, count: usize) -> Result<Listeners, String> {
        let address: Address = text.parse().unwrap();
        bind_all(&[address], LISTEN, Scheme::Http, None, NonZeroUsize::new(count).unwrap())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn all_threads_have_the_same_port() {
        let listeners = bind_one("127.0.0.1:0", 3).unwrap();
        let [Bound::Tcp(_, address)] = *listeners.places else { panic!("{listeners:?}") };
        for sockets in &listeners.threads {
            let [Socket::Tcp(socket)] = sockets.as_slice() else { panic!("{sockets:?}") };
            assert_eq!(socket.local_addr().unwrap(), address);
        }
        assert_eq!(listeners.threads.len(), 3);
    }

    #[test]
    fn a_port_is_not_shared_with_another_server() {
        let first = bind_one("127.0.0.1:0", 1).unwrap();
        let [Bound::Tcp(_, address)] = *first.places else { panic!("{first:?}") };
        let error = bind_one(&address.to_string(), 1).unwrap_err();
        let expected =
            format!("another program uses {address} already; choose another address with --listen");
        assert_eq!(error, expected);
    }

    #[test]
    fn an_address_that_is_listed_twice_is_bound_once() {
        let free = bind_one("127.0.0.1:0", 1).unwrap();
        let [Bound::Tcp(_, address)] = *free.places else { panic!("{free:?}") };
        drop(free);
        let addresses =
            [address.to_string().parse().unwrap(), address.to_string().parse().unwrap()];
        let listeners =
            bind_all(&addresses, LISTEN, Scheme::Http, None, NonZeroUsize::MIN).unwrap();
        assert_eq!(listeners.places, [Bound::Tcp(Scheme::Http, address)]);
    }
}
