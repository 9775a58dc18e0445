//! How an API is served.

use std::net::{SocketAddr, ToSocketAddrs};
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::thread;

use clap::Args;

use super::limits::LimitOptions;
use super::quantity::Time;

/// The most threads that anybody may ask for; each holds connections and a listener.
const MOST_THREADS: usize = 1024;

#[derive(Debug, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct ServingOptions {
    /// Where to listen, as HOST:PORT; port 0 takes a free one
    #[arg(long, env = "THALWEG_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:4000")]
    pub(crate) listen: Address,
    /// How many threads answer requests [default: one a core]
    #[arg(long, env = "THALWEG_THREADS", value_name = "NUMBER", value_parser = threads)]
    threads: Option<NonZeroUsize>,
    /// The most connections to the database, shared out over the threads, at least one each
    #[arg(long, env = "THALWEG_CONNECTIONS", value_name = "NUMBER", default_value = "20")]
    connections: NonZeroUsize,
    /// How long requests that were begun may go on after a signal to stop
    #[arg(long, env = "THALWEG_DRAIN_TIMEOUT", value_name = "TIME", default_value = "10s")]
    pub(crate) drain_timeout: Time,
    #[command(flatten)]
    pub(crate) limits: LimitOptions,
}

/// A place to listen at, with the text that it was given as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) text: String,
    pub(crate) socket: SocketAddr,
}

impl ServingOptions {
    pub(crate) fn threads(&self) -> NonZeroUsize {
        let cores = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.threads.unwrap_or_else(cores)
    }

    /// The most connections to the database of one thread.
    pub(crate) fn connections_per_thread(&self) -> NonZeroUsize {
        let share = self.connections.get() / self.threads();
        NonZeroUsize::new(share).unwrap_or(NonZeroUsize::MIN)
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut sockets = text
            .to_socket_addrs()
            .map_err(|error| format!("{error}; write it as HOST:PORT, such as 127.0.0.1:4000"))?;
        let socket = sockets.next().ok_or("this name has no address")?;
        Ok(Self { text: text.to_owned(), socket })
    }
}

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    match text.parse() {
        Ok(threads) if NonZeroUsize::get(threads) <= MOST_THREADS => Ok(threads),
        Ok(_) | Err(_) => Err(format!("a number from 1 to {MOST_THREADS} is wanted")),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        serving: ServingOptions,
    }

    fn check(line: &str, connections_per_thread: usize) {
        let words = ["thalweg"].into_iter().chain(line.split_whitespace());
        let serving = Line::try_parse_from(words).unwrap().serving;
        assert_eq!(serving.connections_per_thread().get(), connections_per_thread, "{line}");
    }

    #[test]
    fn connections_are_shared_out_and_no_thread_goes_without() {
        check("--threads 2", 10);
        check("--threads 3 --connections 20", 6);
        check("--threads 4 --connections 3", 1);
    }

    #[test]
    fn an_address_needs_a_port() {
        let error = "127.0.0.1".parse::<Address>().unwrap_err();
        assert_eq!(error, "invalid socket address; write it as HOST:PORT, such as 127.0.0.1:4000");
        let address: Address = "127.0.0.1:0".parse().unwrap();
        assert_eq!(address.socket, SocketAddr::from(([127, 0, 0, 1], 0)));
    }
}
