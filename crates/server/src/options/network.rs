//! Limits of client connections.

use std::num::{NonZeroU32, NonZeroUsize};

use clap::Args;

use super::development::Switch;
use super::quantity::{Size, Time};

/// No browser sends a smaller head.
const LEAST_HEADER_SIZE: u64 = 1024;
/// A connection may hold this much memory before its request is known.
const MOST_HEADER_SIZE: u64 = 1024 * 1024;

#[derive(Debug, Args)]
#[command(next_help_heading = "Connections")]
pub(crate) struct NetworkOptions {
    /// The connection limit, for all clients together
    #[arg(long, env = "THALWEG_MAX_CLIENTS", value_name = "NUMBER", default_value = "1000")]
    pub(crate) max_clients: NonZeroUsize,
    /// The maximum size of the head of a request
    #[arg(
        long,
        env = "THALWEG_MAX_HEADER_SIZE",
        value_name = "SIZE",
        default_value = "64KiB",
        value_parser = header_size
    )]
    pub(crate) max_header_size: Size,
    /// Keep-alive timeout: how long an idle connection stays open
    #[arg(long, env = "THALWEG_KEEP_ALIVE_TIMEOUT", value_name = "TIME", default_value = "75s")]
    pub(crate) keep_alive_timeout: Time,
    /// Timeout for a slow client: how long it may stop reading its response before the connection is closed
    #[arg(long, env = "THALWEG_STALL_TIMEOUT", value_name = "TIME", default_value = "30s")]
    pub(crate) stall_timeout: Time,
    /// Serve HTTP/2 to clients that choose it in the TLS handshake, or begin with it without TLS
    #[arg(long, env = "THALWEG_HTTP2", value_name = "SWITCH", default_value = "on")]
    http2: Switch,
    /// The maximum number of requests that an HTTP/2 connection may have open at a time
    #[arg(long, env = "THALWEG_HTTP2_MAX_STREAMS", value_name = "NUMBER", default_value = "100")]
    pub(crate) http2_max_streams: NonZeroU32,
}

impl NetworkOptions {
    /// Whether clients may use HTTP/2.
    pub(crate) fn has_http2(&self) -> bool {
        self.http2 == Switch::On
    }
}

fn header_size(text: &str) -> Result<Size, String> {
    let size: Size = text.parse()?;
    match (LEAST_HEADER_SIZE..=MOST_HEADER_SIZE).contains(&size.0) {
        true => Ok(size),
        false => {
            let (least, most) = (Size(LEAST_HEADER_SIZE), Size(MOST_HEADER_SIZE));
            Err(format!("a size from {least} to {most} is wanted"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_have_a_size_between_bounds() {
        assert_eq!(header_size("1KiB"), Ok(Size(1024)));
        assert_eq!(header_size("1MiB"), Ok(Size(1024 * 1024)));
        for text in ["1023", "1048577"] {
            let error = header_size(text).unwrap_err();
            assert_eq!(error, "a size from 1.0 KiB to 1.0 MiB is wanted", "{text}");
        }
    }
}
