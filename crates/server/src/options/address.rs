//! Addresses to listen on.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::str::FromStr;

/// The default address to listen on.
pub(crate) const DEFAULT: &str = "127.0.0.1:4000";

/// The prefix of the address of a Unix socket.
const UNIX: &str = "unix:";

/// An address to listen on, with its text in the options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) text: String,
    pub(crate) place: Place,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// All addresses of a host name; never empty.
    Tcp(Vec<SocketAddr>),
    /// The file of a Unix socket.
    Unix(PathBuf),
}

/// File mode of a Unix socket, in the notation of `chmod`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mode(pub(crate) u32);

impl Address {
    /// Whether only this machine can connect to it.
    pub(crate) fn is_local(&self) -> bool {
        match &self.place {
            Place::Tcp(sockets) => {
                sockets.iter().all(|socket| socket.ip().to_canonical().is_loopback())
            }
            Place::Unix(_) => true,
        }
    }

    pub(super) fn is_unix(&self) -> bool {
        matches!(self.place, Place::Unix(_))
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let place = match text.strip_prefix(UNIX) {
            Some("") => return Err("a path is wanted after `unix:`".into()),
            Some(path) => Place::Unix(path.into()),
            None => Place::Tcp(sockets(text)?),
        };
        Ok(Self { text: text.to_owned(), place })
    }
}

fn sockets(text: &str) -> Result<Vec<SocketAddr>, String> {
    let found = text.to_socket_addrs().map_err(|error| {
        format!("{error}; write it as HOST:PORT, such as 127.0.0.1:4000, or as unix:PATH")
    })?;
    let mut sockets = Vec::new();
    for socket in found {
        // A host name may resolve to the same address twice.
        if !sockets.contains(&socket) {
            sockets.push(socket);
        }
    }
    match sockets.is_empty() {
        true => Err("this name has no address".into()),
        false => Ok(sockets),
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match u32::from_str_radix(text, 8) {
            Ok(mode) if mode <= 0o777 && !text.starts_with('+') => Ok(Self(mode)),
            Ok(_) | Err(_) => {
                Err("a mode is wanted as `chmod` has it, such as 660, at most 777".into())
            }
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:03o}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_needs_a_port_or_a_path() {
        let error = "127.0.0.1".parse::<Address>().unwrap_err();
        assert_eq!(
            error,
            "invalid socket address; write it as HOST:PORT, such as 127.0.0.1:4000, or as unix:PATH"
        );
        let address: Address = "127.0.0.1:0".parse().unwrap();
        assert_eq!(address.place, Place::Tcp(vec![SocketAddr::from(([127, 0, 0, 1], 0))]));
        let address: Address = "unix:a/b.sock".parse().unwrap();
        assert_eq!(address.place, Place::Unix("a/b.sock".into()));
        assert_eq!("unix:".parse::<Address>().unwrap_err(), "a path is wanted after `unix:`");
    }

    #[test]
    fn a_name_stands_for_each_of_its_addresses_once() {
        let address: Address = "localhost:80".parse().unwrap();
        let Place::Tcp(mut sockets) = address.place else { panic!("{address:?}") };
        let count = sockets.len();
        assert!(sockets.contains(&SocketAddr::from(([127, 0, 0, 1], 80))), "{sockets:?}");
        sockets.sort_unstable();
        sockets.dedup();
        assert_eq!(sockets.len(), count);
    }

    #[test]
    fn a_mode_is_octal() {
        assert_eq!("660".parse(), Ok(Mode(0o660)));
        assert_eq!("0600".parse(), Ok(Mode(0o600)));
        for text in ["", "888", "1777", "-1", "+7", "rw"] {
            assert!(text.parse::<Mode>().is_err(), "{text}");
        }
    }
}
